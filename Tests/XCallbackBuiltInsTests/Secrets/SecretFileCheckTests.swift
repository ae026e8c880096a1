import Glibc
import Testing
import XCallbackLinux
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

    private func messages(
        isCertain: Bool = true, user: String = "nobody", groups: String = "", socketGroup: String = ""
    ) -> [String] {
        checked("{ file: \(path) }", isCertain: isCertain) { arguments in
            if arguments.last == "xcallbackd.socket" { return "\(socketGroup)\n" }
            return arguments.first == "show"
                ? "LoadState=loaded\nActiveState=inactive\nUser=\(user)\nGroup=\nSupplementaryGroups=\(groups)\n" : nil
        }
    }

    private var advice: String {
        "use 'token: { credential: secret }' with 'LoadCredential=secret:\(path)' below [Service] in 'systemctl edit "
            + "xcallbackd.service'"
    }

    private var reason: String {
        "the user 'nobody' of xcallbackd.service cannot read the secret: open: Permission denied; \(advice)"
    }

    @Test func aFileThatTheServiceCannotReadIsAFaultWithWhatHelps() throws {
        #expect(messages() == ["fault: \(reason)"])
    }

    @Test func inAFileThatTheServiceMayNotReadItIsAWarning() {
        #expect(messages(isCertain: false) == ["warning: \(reason)"])
    }

    @Test func aGroupOfWhoMayConnectIsToldOf() throws {
        chown(path, 0, try #require(UserDatabase.groupID(named: "nogroup")))
        chmod(path, 0o640)
        let warning = "warning: the members of the group 'nogroup' can read the secret, and may connect: \(advice)"
        #expect(messages(socketGroup: "nogroup") == [warning])
        #expect(messages(socketGroup: "root") == [])
        chmod(path, 0o600)
        chown(path, user, UInt32.max)
        #expect(messages(socketGroup: "nogroup") == [])
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

    @Test(arguments: ["", "root", "0"])
    func rootsServiceReadsEverything(user: String) {
        #expect(messages(user: user) == [])
    }

    @Test func theCheckKeepsItsRights() throws {
        func rights() throws -> [Substring] {
            try textOfFile("/proc/thread-self/status").split(separator: "\n").filter { line in
                ["Uid:", "Gid:", "Groups:", "CapEff:"].contains { line.hasPrefix($0) }
            }
        }
        let before = try rights()
        #expect(before.count == 4)
        #expect(messages().count == 1)
        #expect(try rights() == before)
        #expect(access(path, R_OK) == 0)
        let file = open(path, O_RDONLY | O_CLOEXEC)
        #expect(file >= 0)
        close(file)
    }
}
