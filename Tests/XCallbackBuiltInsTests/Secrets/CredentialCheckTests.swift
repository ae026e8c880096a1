import Glibc
import Logging
import Testing
import XCallbackBuiltIns
import XCallbackConfiguration
import XCallbackTesting

/// What a check of a configuration finds out about credentials, which only the service has.
struct CredentialCheckTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = try directory.write("s3cret\n", to: "secret")
    }

    /// The faults and the warnings of a policy with the credential `sync`, where a service manager has a unit.
    private func messages(unit lines: String?, isCertain: Bool = true, state: String = "inactive") -> [String] {
        let unit = lines.map { "# /lib/systemd/system/xcallbackd.service\n[Unit]\nA=b\n\n" + $0 }
        return checked("{ credential: sync }", isCertain: isCertain) { arguments in
            #expect(arguments.last == "xcallbackd.service")
            switch arguments.first {
            case "show": return unit.map { _ in "LoadState=loaded\nActiveState=\(state)\nUser=\nGroup=\n" }
            case "cat": return unit?.replacing("PATH", with: path)
            default: return nil
            }
        }.map { $0.replacing(path, with: "PATH") }
    }

    static let loaded = [
        "[Service]\nLoadCredential=sync:PATH", "[Service]\nUser=a\n  LoadCredential = sync:PATH  \n",
        "[Service]\nLoadCredential=sync:/none\n\n# drop-in\n[Service]\nLoadCredential=sync:PATH",
        "[Service]\nSetCredential=sync:s3cret", "[Service]\nSetCredential=sync:s3cret\nLoadCredential=sync:/none",
        "[Service]\nLoadCredentialEncrypted=sync:PATH", "[Service]\nLoadCredential=sync:%E/none",
        "[Service]\nLoadCredential=\\\n  sync:PATH",
    ]

    @Test(arguments: loaded)
    func aCredentialThatTheUnitLoadsIsFine(unit: String) {
        #expect(messages(unit: unit) == [])
    }

    static let missing = [
        "[Service]", "[Unit]\nLoadCredential=sync:PATH", "[Service]\n#LoadCredential=sync:PATH",
        "[Service]\nLoadCredential=other:PATH", "[Service]\nLoadCredential=sync:PATH\nLoadCredential=",
        "[Service]\nSetCredential=sync:a\nSetCredential=", "[Service]\nImportCredential=other.*",
    ]

    @Test(arguments: missing)
    func oneThatItDoesNotLoadIsAFaultThatSaysWhichLineIsMissing(unit: String) {
        let fault =
            "fault: xcallbackd.service does not load the credential 'sync': add 'LoadCredential=sync:PATH' below "
            + "[Service] with 'systemctl edit xcallbackd.service', and restart it"
        #expect(messages(unit: unit) == [fault])
    }

    @Test func aSourceThatDoesNotExistIsAFault() {
        #expect(
            messages(unit: "[Service]\nLoadCredential=sync:/none") == [
                "fault: xcallbackd.service loads the credential 'sync' from '/none', which does not exist"
            ])
        #expect(
            messages(unit: "[Service]\nLoadCredential=sync:xcallbackd-test-none").first?.contains(
                geteuid() == 0 ? "put it at '/etc/credstore/xcallbackd-test-none'" : "credential stores") == true)
    }

    @Test func aSourceThatNoParameterCanBeIsAFault() throws {
        try directory.write("", to: "secret")
        #expect(
            messages(unit: "[Service]\nLoadCredential=sync:PATH") == [
                "fault: expected a secret of 1 to 4096 bytes, found 0"
            ])
    }

    @Test func theFilesOfAFolderAreCredentials() throws {
        try directory.write("s3cret", to: "folder/c")
        let unit = "[Service]\nLoadCredential=syn:\(directory.path)/folder"
        #expect(messages(unit: unit).first?.contains("does not load the credential 'sync'") == true)
        let found = checked("{ credential: syn_c }") { arguments in
            arguments.first == "show" ? "LoadState=loaded\nUser=\n" : unit
        }
        #expect(found == [])
    }

    @Test func whereNobodyKnowsTheServiceItIsNotChecked() {
        let warning = "not checked: credential 'sync', because no service manager here knows xcallbackd.service"
        #expect(messages(unit: nil) == [warning])
        let absent = checked("{ credential: sync }") { $0.first == "show" ? "LoadState=not-found\nUser=\n" : nil }
        #expect(absent == [warning])
    }

    @Test func inAFileThatTheServiceMayNotReadItIsAWarning() {
        let messages = messages(unit: "[Service]", isCertain: false)
        #expect(messages.count == 1 && messages[0].hasPrefix("warning: xcallbackd.service does not load"))
    }

    @Test func whatACredentialLacksIsToldToPrograms() {
        func subjects(unit: String, state: String = "inactive") -> [Fault.Subject?] {
            let found = found("{ credential: sync }") { arguments in
                arguments.first == "show" ? "LoadState=loaded\nActiveState=\(state)\n" : unit
            }
            return found.map(\.subject)
        }
        #expect(subjects(unit: "[Service]") == [.credential("sync", .notLoaded)])
        #expect(
            subjects(unit: "[Service]\nLoadCredential=sync:/it's none")
                == [.credential("sync", .noFile("/it's none"))])
        #expect(
            subjects(unit: "[Service]\nLoadCredential=sync:\(path)", state: "active")
                == [.credential("sync", .notRestarted)])
    }

    @Test func aServiceThatRunsHasToBeRestarted() {
        #expect(
            messages(unit: "[Service]\nLoadCredential=sync:PATH", state: "active") == [
                "warning: the running service does not have the credential 'sync' yet, and a reload does not load it: "
                    + "run 'systemctl restart xcallbackd.service'"
            ])
    }

    @Test func aUsersServiceIsThatOfTheUsersManager() {
        var asked: [[String]] = []
        _ = checked("{ credential: sync }", isSystem: false) { arguments in
            asked.append(arguments)
            return nil
        }
        #expect(asked.first?.first == "--user")
    }
}

/// The faults and the warnings of a `token` policy in a configuration that a service reads.
func checked(
    _ token: String, isSystem: Bool = true, isCertain: Bool = true, _ ask: @escaping ([String]) -> String?
) -> [String] {
    found(token, isSystem: isSystem, isCertain: isCertain, ask).map { fault in
        switch fault.severity {
        case .fault: "fault: \(fault.message)"
        case .warning: "warning: \(fault.message)"
        case .unchecked: "not checked: \(fault.message)"
        }
    }
}

/// The same as it is reported.
private func found(
    _ token: String, isSystem: Bool = true, isCertain: Bool = true, _ ask: @escaping ([String]) -> String?
) -> [Fault] {
    let text = "schemes: [notes]\nroutes: [{ route: /a, policies: [{ token: \(token) }], respond: { a: 1 } }]\n"
    do {
        let configuration = try RouterConfiguration(
            text: text, name: "c.yaml", logger: Logger(label: "tests") { _ in SwiftLogNoOpLogHandler() },
            checkedFor: ServiceUnit(isSystem: isSystem, isCertain: isCertain, ask: ask))
        return configuration.warnings.warnings + configuration.leftUnchecked.warnings
    } catch {
        return error.faults
    }
}
