import Glibc
import TestSupport
import Testing
import XCallbackTesting

/// `xcallback check`, which asks the daemon about what only the daemon can see.
@Suite(.blocking)
struct CheckCommandTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        for name in ["daemons", "shells", "credentials"] { mkdir(directory.path(of: name), 0o755) }
        for name in ["daemons/of-the-daemon", "shells/of-the-shell"] {
            chmod(try directory.write("#!/bin/sh\necho here\n", to: name), 0o755)
        }
    }

    private static let served = "schemes: [n]\nroutes:\n  - { route: n:/a, respond: { a: b } }\n"

    private func startDaemon(_ configuration: String = served) throws -> RunningDaemon {
        try RunningDaemon(
            configuration,
            environment: ["CREDENTIALS_DIRECTORY=\(directory.path(of: "credentials"))"],
            preparation: "PATH='\(directory.path(of: "daemons"))':$PATH")
    }

    /// Returns both outputs of a command, and its status; paths are removed.
    private func run(_ words: String...) throws -> (text: String, status: Int32) { try run(words) }

    private func run(_ words: [String]) throws -> (text: String, status: Int32) {
        let script = "cd '\(directory.path)'; exec \"$0\" \"$@\""
        let (status, output) = try ChildProcess.run(
            ["/bin/bash", "-c", script, RunningDaemon.program("xcallback")] + words,
            environment: ["PATH=\(directory.path(of: "shells")):/usr/bin:/bin"])
        return (output.replacing(directory.path, with: "HERE"), status)
    }

    private static func route(_ handler: String) -> String {
        "schemes: [n]\nroutes:\n  - route: n:/a\n    \(handler)\n"
    }

    /// Writes a configuration that no daemon reads.
    private func route(_ handler: String) throws {
        try directory.write(Self.route(handler), to: "c.yaml")
    }

    /// Writes the configuration that a daemon reads, and returns its path.
    private func route(_ handler: String, of daemon: RunningDaemon) throws -> String {
        try daemon.directory.write(Self.route(handler), to: "config.yaml")
    }

    @Test func programsAreThoseOfTheDaemon() throws {
        let daemon = try startDaemon()
        let file = try route("exec: [of-the-daemon]", of: daemon)
        let note = "xcallback: checking \(file), which the daemon reads\n"
        #expect(try run("check", "--socket", daemon.socket) == ("\(note)valid: 1 route for n\n", 0))
        _ = try route("exec: [of-the-shell]", of: daemon)
        let warning = """
            \(note)\(file):4:12: warning: program 'of-the-shell' is not in the PATH (HERE/daemons:/usr/bin:/bin): install it, or write its whole path
              4 |     exec: [of-the-shell]
                |            ^~~~~~~~~~~~
            1 warning in 1 file
            valid: 1 route for n

            """
        #expect(try run("check", "--socket", daemon.socket) == (warning, 0))
    }

    @Test func ofAFileWhatOnlyTheDaemonSeesIsNotChecked() throws {
        try route("policies: [{ token: { credential: hook } }]\n    exec: [/usr/bin/true]")
        let note = """
            c.yaml:4:39: not checked here: credential 'hook', because only the service can read it
              4 |     policies: [{ token: { credential: hook } }]
                |                                       ^~~~
            1 not checked here
            valid: 1 route for n

            """
        #expect(try run("check", "c.yaml") == (note, 0))
        let report = try run("check", "c.yaml", "--json")
        #expect(report.text.contains(#""warnings":[],"unchecked":[{"file":"c.yaml","line":4,"column":39,"#))
        #expect(report.text.hasSuffix("\"daemon\":false,\"refusal\":null,\"reads\":null}\n"), "\(report.text)")
    }

    @Test func credentialsAreThoseOfTheDaemon() throws {
        let daemon = try startDaemon()
        let file = try route("policies: [{ token: { credential: hook } }]\n    respond: { a: b }", of: daemon)
        let missing = try run("check", "--socket", daemon.socket)
        #expect(missing.status == 78)
        #expect(missing.text.contains("\n\(file):4:39: the service started without the credential 'hook'"))
        #expect(missing.text.contains("restart it\n  4 |     policies: [{ token: { credential: hook } }]\n"))
        chmod(try directory.write("s3cret", to: "credentials/hook"), 0o600)
        expect(try run("check", "--socket", daemon.socket).text) { $0.hasSuffix("\nvalid: 1 route for n\n") }
    }

    @Test func pathsBeginAtTheFileAndPlacesHaveTheNamesThatWereGiven() throws {
        try route("exec: [shells/of-the-shell]")
        #expect(try run("check", "./c.yaml") == ("valid: 1 route for n\n", 0))
        try route("exec: [shells/none]")
        let warning = "warning: 'HERE/shells/none' does not exist\n"
        expect(try run("check", "./c.yaml").text) { $0.hasPrefix("./c.yaml:4:12: \(warning)") }
    }

    /// What a reload rejects, a check reports with the same words.
    static let mistakes: [(name: String, script: String)] = [
        ("a typing mistake", "echo 'routs: []' >>config.yaml"), ("a file for all to write", "chmod 666 config.yaml"),
        ("a folder for all to write", "chmod 777 ."), ("an unreadable drop-in", "mkdir -p routes.d/a.yaml"),
        ("a link to a folder for all to write", "mkdir -m 777 dots; mv config.yaml dots; ln -s dots/config.yaml ."),
        ("a link to nothing", "ln -sf nowhere config.yaml"), ("a missing file", "rm config.yaml"),
        ("a drop-in without suffix", "mkdir routes.d; touch routes.d/a.yml"),
        ("a missing credential", "echo 'policies: [{ token: { credential: none } }]' >>config.yaml"),
    ]

    @Test(arguments: mistakes)
    func aCheckReportsTheFaultsOfAReload(mistake: (name: String, script: String)) throws {
        let daemon = try startDaemon()
        let shell = ["/bin/sh", "-c", "cd '\(daemon.directory.path)'; \(mistake.script)"]
        expect(try ChildProcess.run(shell).status, equals: 0)
        let reload = try run("reload", "--json", "--socket", daemon.socket)
        let check = try run("check", "--json", "--socket", daemon.socket)
        #expect(reload.status != 0 && check.status == 78, "\(reload) \(check)")
        func messages(_ report: String) -> [Substring] {
            report.split(separator: #""message":""#, omittingEmptySubsequences: false).dropFirst().map {
                $0[..<($0.firstIndex(of: "\"") ?? $0.endIndex)]
            }
        }
        let rejected = messages(reload.text)
        #expect(
            !rejected.isEmpty && rejected == Array(messages(check.text).prefix(rejected.count)), "\(reload) \(check)")
    }

    @Test func aCheckThatPassesIsFollowedByAReloadThatTellsTheSame() throws {
        let daemon = try startDaemon()
        let configuration = Self.served + "  - { route: n:/b, exec: [of-the-shell] }\ncallbacks: { allow: [bear] }\n"
        let file = try daemon.directory.write(configuration, to: "config.yaml")
        let check = try run("check", "--socket", daemon.socket)
        #expect(check.status == 0)
        #expect(check.text.contains(":4:27: warning: program 'of-the-shell' is not in the PATH"))
        // A check changes nothing.
        expect(try daemon.connect().ask("n:/b")) { $0?.contains("errorCode=404") == true }
        let reload = try run("reload", "--socket", daemon.socket)
        #expect(reload.status == 0)
        #expect(
            reload.text.hasPrefix("warning: \(file):4:27: program 'of-the-shell' is not in the PATH"))
        #expect(reload.text.hasSuffix("2 routes: 1 added, 0 removed, 0 changed\n+ n:/b\nchanged settings: callbacks\n"))
    }

    @Test func faultsAndWarningsOfTheDaemonAreReportedTogether() throws {
        let daemon = try startDaemon()
        let file = daemon.directory.path(of: "config.yaml")
        let report = try run("check", "--json", "--socket", daemon.socket)
        #expect(report.text.hasSuffix(",\"daemon\":true,\"refusal\":null,\"reads\":\"\(file)\"}\n"), "\(report)")
        _ = try route("exec: [of-the-shell]\nrouts: []", of: daemon)
        let faulty = try run("check", "--socket", daemon.socket)
        #expect(faulty.status == 78)
        #expect(
            faulty.text.hasPrefix(
                "xcallback: checking \(file), which the daemon reads\n\(file):5:1: unknown key 'routs'"),
            "\(faulty)")
        #expect(faulty.text.contains("\(file):4:12: warning: program 'of-the-shell' is not in"), "\(faulty)")
        #expect(faulty.text.hasSuffix("\n1 fault in 1 file, 1 warning in 1 file\n"), "\(faulty)")
    }

    @Test(.enabled(if: geteuid() == 0, "only root can start the daemon of the system"))
    func aDaemonThatDoesNotAnswerThisUserIsReported() throws {
        let site = try DaemonSite(Self.served, keepsSocket: true)
        let daemon = try site.start()
        try daemon.waitUntilReady()
        for path in [site.directory.path, directory.path] { chmod(path, 0o755) }
        chmod(site.path, 0o666)
        try directory.write(Self.served, to: "own/xcallbackd/config.yaml")
        let command =
            "cd /; exec setpriv --reuid=65534 --clear-groups \"$0\" check --socket '\(site.path)'"
        let (status, told) = try ChildProcess.run(
            ["/bin/bash", "-c", command, RunningDaemon.program("xcallback")],
            environment: ["XDG_CONFIG_HOME=\(directory.path)/own", "PATH=/usr/bin:/bin"])
        #expect(status == 0)
        let refusal = "xcallback: cannot ask the daemon: the daemon at '\(site.path)' does not allow this"
        #expect(told.hasPrefix(refusal), "\(told)")
        #expect(told.hasSuffix("valid: 1 route for n\n"), "\(told)")
        try daemon.stop()
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give files away"))
    func whomAFileMayBelongToIsLeftOpenWithoutADaemon() throws {
        try route("policies: [{ token: { file: \(directory.path)/secret } }]\n    respond: { a: b }")
        chmod(try directory.write("s3cret", to: "secret"), 0o600)
        for name in ["c.yaml", "secret"] { chown(directory.path(of: name), 1_234, 0) }
        let told = try run("check", "c.yaml")
        let reason = "because only the daemon knows which user it runs as"
        #expect(told.status == 0)
        #expect(told.text.hasPrefix("c.yaml: not checked here: the owner of a file, uid 1234, \(reason)"), "\(told)")
        #expect(told.text.contains("not checked here: the owner of a secret, uid 1234, \(reason)"), "\(told)")
    }

    /// A hanging daemon delays no user who looks for the reason.
    @Test func aDaemonThatHangsIsReported() throws {
        let daemon = try startDaemon()
        try route("respond: { a: b }")
        try daemon.process.pause()
        defer { daemon.process.send(signal: SIGCONT) }
        let reason = "the daemon accepts connections, but did not answer within 5 s"
        let doctor = try run("doctor", "--socket", daemon.socket, "--config", "c.yaml")
        #expect(doctor.status == 1)
        #expect(doctor.text.contains("FAULT \(reason)"), "\(doctor.text)")
    }
}
