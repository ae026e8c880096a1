import Glibc
import Testing
import XCallbackTesting

/// What root's check of a configuration finds out about secrets in files, which the service reads as another user.
@Suite(.enabled(if: geteuid() == 0, "only root can read files as another user"))
struct SecretFileCheckTests {
    private let directory: TemporaryDirectory
    private let path: String
    private let user: uid_t = 65_534

    init() throws {
        directory = try TemporaryDirectory()
        chmod(directory.path, 0o755)
        path = try directory.write("s3cret\n", to: "secret")
        chmod(path, 0o600)
    }

    private func messages(isCertain: Bool = true, user: String = "nobody", groups: String = "") -> [String] {
        checked("{ file: \(path) }", isCertain: isCertain) { arguments in
            arguments.first == "show"
                ? "LoadState=loaded\nActiveState=inactive\nUser=\(user)\nGroup=\nSupplementaryGroups=\(groups)\n" : nil
        }
    }

    @Test func aFileThatTheServiceCannotReadIsAFaultWithWhatHelps() throws {
        let advice =
            "use 'token: { credential: secret }' with 'LoadCredential=secret:\(path)' below [Service] in 'systemctl edit "
            + "xcallbackd.service'"
        let beginning =
            "fault: the user 'nobody' of xcallbackd.service cannot read the secret: open: Permission denied; "
        let command = "chgrp 65534 \(path) && chmod 640 \(path)"
        #expect(messages() == ["\(beginning)\(advice), or '\(command)'"])
        // A folder that lets nobody through is no matter of the file.
        chmod(directory.path, 0o700)
        #expect(messages() == [beginning + advice])
        chmod(directory.path, 0o755)
        let shell = try ChildProcess(["/bin/sh", "-c", command], output: "/dev/null", error: "/dev/null")
        #expect(try shell.wait() == 0)
        #expect(messages() == [])
    }

    @Test func theServicesOwnFileIsFine() {
        chown(path, user, 0)
        #expect(messages() == [])
    }

    @Test func aSupplementaryGroupOfTheServiceCounts() {
        chown(path, 0, 4711)
        chmod(path, 0o640)
        #expect(messages().count == 1)
        #expect(messages(groups: "4711") == [])
    }

    @Test func whatMayNotBeTheServicesIsReadByTheCallerOnly() {
        #expect(messages(isCertain: false) == [])
    }

    @Test(arguments: ["", "root", "0"])
    func rootsServiceReadsEverything(user: String) {
        #expect(messages(user: user) == [])
    }

    @Test func theCheckKeepsItsRights() {
        #expect(messages().count == 1)
        #expect(access(path, R_OK) == 0)
        let file = open(path, O_RDONLY | O_CLOEXEC)
        #expect(file >= 0)
        close(file)
    }
}
