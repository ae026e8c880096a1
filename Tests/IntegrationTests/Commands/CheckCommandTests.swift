import Glibc
import Testing
import XCallbackTesting

/// `xcallback check`, which asks the daemon about facts that only the daemon can see.
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
        let output = directory.path(of: "output-\(UInt32.random(in: 0 ... .max))")
        let script = "cd '\(directory.path)'; exec \"$0\" \"$@\""
        let ending = try ChildProcess(
            ["/bin/bash", "-c", script, RunningDaemon.program("xcallback")] + words,
            environment: ["PATH=\(directory.path(of: "shells")):/usr/bin:/bin"], output: output, error: output
        ).wait()
        let name = String(output.dropFirst(directory.path.count + 1))
        return (try directory.text(of: name).replacing(directory.path, with: "HERE"), ending)
    }

    private func route(_ handler: String) throws {
        try directory.write("schemes: [n]\nroutes:\n  - route: n:/a\n    \(handler)\n", to: "c.yaml")
    }

    @Test func programsAreThoseOfTheDaemon() throws {
        let daemon = try startDaemon()
        try route("exec: [of-the-daemon]")
        #expect(try run("check", "c.yaml", "--socket", daemon.socket) == ("valid: 1 route for n\n", 0))
        try route("exec: [of-the-shell]")
        let warning = """
            c.yaml:4:12: warning: program 'of-the-shell' is not in the daemon's PATH (HERE/daemons:/usr/bin:/bin): write its whole path
              4 |     exec: [of-the-shell]
                |            ^~~~~~~~~~~~
            1 warning in 1 file
            valid: 1 route for n

            """
        #expect(try run("check", "c.yaml", "--socket", daemon.socket) == (warning, 0))
    }

    @Test func withoutADaemonWhatOnlyItSeesIsNotChecked() throws {
        try route("exec: [of-the-daemon]")
        let note = """
            c.yaml:4:12: not checked here: program 'of-the-daemon', because it is not in the PATH here and no daemon was asked \
            that has its own
              4 |     exec: [of-the-daemon]
                |            ^~~~~~~~~~~~~
            1 not checked here
            valid: 1 route for n

            """
        let none = directory.path(of: "none")
        let problem = "cannot reach the daemon at 'HERE/none': No such file or directory; start it: run "
        let told = try run("check", "c.yaml", "--socket", none)
        #expect(told.status == 0)
        #expect(told.text.hasPrefix("xcallback: cannot ask the daemon: \(problem)"), "\(told.text)")
        #expect(told.text.hasSuffix("\n\(note)"), "\(told.text)")
        let report = try run("check", "c.yaml", "--json", "--socket", none)
        #expect(report.text.contains(#""warnings":[],"unchecked":[{"file":"c.yaml","line":4,"column":12,"#))
        #expect(report.text.contains("\"daemon\":false,\"refusal\":\"\(problem)"), "\(report.text)")
    }

    @Test func credentialsAreThoseOfTheDaemon() throws {
        let daemon = try startDaemon()
        try route("policies: [{ token: { credential: hook } }]\n    respond: { a: b }")
        let missing = try run("check", "c.yaml", "--socket", daemon.socket)
        #expect(missing.status == 78)
        #expect(missing.text.hasPrefix("c.yaml:4:39: the service started without the credential 'hook'"))
        #expect(missing.text.contains("restart it\n  4 |     policies: [{ token: { credential: hook } }]\n"))
        chmod(try directory.write("s3cret", to: "credentials/hook"), 0o600)
        #expect(try run("check", "c.yaml", "--socket", daemon.socket) == ("valid: 1 route for n\n", 0))
    }

    @Test func pathsBeginAtTheFileAndPlacesHaveTheNamesThatWereGiven() throws {
        let daemon = try startDaemon()
        try route("exec: [shells/of-the-shell]")
        #expect(try run("check", "./c.yaml", "--socket", daemon.socket) == ("valid: 1 route for n\n", 0))
        try route("exec: [shells/none]")
        let warned = try run("check", "./c.yaml", "--socket", daemon.socket)
        let warning = "warning: 'HERE/shells/none' does not exist\n"
        #expect(warned.text.hasPrefix("./c.yaml:4:12: \(warning)"))
        #expect(
            try run("check", "./c.yaml", "--json", "--socket", daemon.socket).text.hasSuffix(
                "\"daemon\":true,\"refusal\":null,\"reads\":null}\n"))
    }

    /// Files of 300 KB with many bytes that are escaped, to a daemon that accepts messages of 4 KiB.
    @Test(.timeLimit(.minutes(10)))
    func aLargeConfigurationIsToldInParts() throws {
        let daemon = try startDaemon(Self.served + "limits: { message: 4KiB }\n")
        try directory.write(
            "schemes: [n]\nroutes:\n  - { route: n:/a, exec: [of-the-daemon] }\n", to: "large/config.yaml")
        for number in 0..<6 {
            let comment = String(repeating: "# \"\u{FC}\\\n", count: 6_000)
            let route = "routes:\n  - { route: n:/d\(number), exec: [of-the-shell, \"\u{FC}\"] }\n"
            try directory.write(comment + route, to: "large/routes.d/\(number).yaml")
        }
        let result = try run("check", "large/config.yaml", "--socket", daemon.socket)
        #expect(result.status == 0)
        for number in 0..<6 {
            #expect(
                result.text.contains(
                    "large/routes.d/\(number).yaml:6002:28: warning: program 'of-the-shell' is not in the daemon's PATH"
                ))
        }
        #expect(result.text.hasSuffix("6 warnings in 6 files\nvalid: 7 routes for n in 7 files\n"))
    }

    @Test func aCheckThatPassesIsFollowedByAReloadThatTellsTheSame() throws {
        let daemon = try startDaemon()
        let configuration = Self.served + "  - { route: n:/b, exec: [of-the-shell] }\ncallbacks: { allow: [bear] }\n"
        let file = try daemon.directory.write(configuration, to: "config.yaml")
        let check = try run("check", file, "--socket", daemon.socket)
        #expect(check.status == 0)
        #expect(check.text.contains(":4:27: warning: program 'of-the-shell' is not in the daemon's PATH"))
        let reload = try run("reload", "--socket", daemon.socket)
        #expect(reload.status == 0)
        #expect(
            reload.text.hasPrefix("warning: \(file):4:27: program 'of-the-shell' is not in the daemon's PATH"))
        #expect(reload.text.hasSuffix("2 routes: 1 added, 0 removed, 0 changed\n+ n:/b\nchanged settings: callbacks\n"))
    }

    @Test func whatIsMoreThanTheDaemonChecksIsSaid() throws {
        let daemon = try startDaemon()
        try route("exec: [of-the-daemon]")
        try directory.write("schemes: [n]\nroutes: [{ route: n:/a, respond: }]\n", to: "large/config.yaml")
        for number in 0..<5 {
            try directory.write(
                "routes: []\n" + String(repeating: "# 0123456789\n", count: 70_000), to: "large/routes.d/\(number).yaml"
            )
        }
        let result = try run("check", "large/config.yaml", "--socket", daemon.socket)
        #expect(result.status == 0)
        let reason = "rejects the files: The daemon checks 1000 files with 4194304 bytes at most"
        #expect(result.text.hasPrefix("xcallback: cannot ask the daemon: the daemon at "), "\(result)")
        #expect(result.text.contains(reason), "\(result)")
    }

    @Test func withoutAFileThoseAreCheckedThatTheDaemonReads() throws {
        let daemon = try startDaemon()
        let file = daemon.directory.path(of: "config.yaml")
        let note = "xcallback: checking \(file), which the daemon reads\n"
        #expect(try run("check", "--socket", daemon.socket) == ("\(note)valid: 1 route for n\n", 0))
        let report = try run("check", "--json", "--socket", daemon.socket)
        #expect(report.text.hasSuffix(",\"daemon\":true,\"refusal\":null,\"reads\":\"\(file)\"}\n"), "\(report)")
        try daemon.directory.write("schemes: [n]\nrouts: []\n", to: "config.yaml")
        let faulty = try run("check", "--socket", daemon.socket)
        #expect(faulty.status == 78)
        #expect(faulty.text.hasPrefix("\(note)\(file):2:1: unknown key 'routs'"), "\(faulty)")
    }

    @Test(.enabled(if: geteuid() == 0, "only root can start the daemon of the system"))
    func aDaemonThatDoesNotNameItsFilesIsToldOf() throws {
        let site = try DaemonSite(Self.served, keepsSocket: true)
        let daemon = try site.start()
        try daemon.waitUntilReady()
        for path in [site.directory.path, directory.path] { chmod(path, 0o755) }
        chmod(site.path, 0o666)
        try directory.write(Self.served, to: "own/xcallbackd/config.yaml")
        let output = directory.path(of: "told")
        let command =
            "cd /; exec setpriv --reuid=65534 --clear-groups \"$0\" check --socket '\(site.path)'"
        let status = try ChildProcess(
            ["/bin/bash", "-c", command, RunningDaemon.program("xcallback")],
            environment: ["XDG_CONFIG_HOME=\(directory.path)/own", "PATH=/usr/bin:/bin"], output: output, error: output
        ).wait()
        #expect(status == 0)
        let told = try directory.text(of: "told")
        #expect(
            told.hasPrefix(
                "xcallback: only the daemon's user and root see its files: it may read other files than these\n"),
            "\(told)")
        #expect(told.hasSuffix("valid: 1 route for n\n"), "\(told)")
        try daemon.stop()
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give files away"))
    func whomAFileMayBelongToIsLeftOpenWithoutDaemonAndServiceManager() throws {
        chmod(try directory.write("#!/bin/sh\nexit 1\n", to: "shells/systemctl"), 0o755)
        try route("policies: [{ token: { file: \(directory.path)/secret } }]\n    respond: { a: b }")
        chmod(try directory.write("s3cret", to: "secret"), 0o600)
        for name in ["c.yaml", "secret"] { chown(directory.path(of: name), 1_234, 0) }
        let told = try run("check", "c.yaml")
        let reason = "because neither a daemon nor a service manager here says which user the daemon runs as"
        #expect(told.status == 0)
        #expect(told.text.hasPrefix("c.yaml: not checked here: the owner of a file, uid 1234, \(reason)"), "\(told)")
        #expect(told.text.contains("not checked here: the owner of a secret, uid 1234, \(reason)"), "\(told)")
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give files away"))
    func filesOfTheUserOfADaemonAreItsOwn() throws {
        chmod(try directory.write("#!/bin/sh\nexit 1\n", to: "shells/systemctl"), 0o755)
        // Root listens for the daemon, like a service manager.
        let site = try DaemonSite(Self.served, keepsSocket: true)
        for path in [site.directory.path, directory.path] { chmod(path, 0o755) }
        let user = #"chmod 666 "$NOTIFY_SOCKET"; exec setpriv --reuid=1234 --clear-groups "$0" "$@""#
        let daemon = try site.start(under: ["/bin/bash", "-c", user])
        try daemon.waitUntilReady()
        try route("respond: { a: b }")
        chown(directory.path(of: "c.yaml"), 1_234, 0)
        let valid = try run("check", "c.yaml", "--socket", site.path)
        #expect(valid == ("valid: 1 route for n\n", 0), "\(valid)")
        chown(directory.path(of: "c.yaml"), 1_235, 0)
        let told = try run("check", "c.yaml", "--socket", site.path)
        #expect(told.text.hasPrefix("c.yaml: expected a file that belongs to root or uid 1234, found uid 1235"))
        try daemon.stop()
    }

    /// A hanging daemon delays no user who looks for the reason.
    @Test func aDaemonThatHangsIsToldOf() throws {
        let daemon = try startDaemon()
        try route("respond: { a: b }")
        daemon.process.send(signal: SIGSTOP)
        defer { daemon.process.send(signal: SIGCONT) }
        let reason = "the daemon accepts connections, but did not answer within 5 s"
        let check = try run("check", "c.yaml", "--socket", daemon.socket)
        #expect(check.status == 0)
        #expect(check.text.hasPrefix("xcallback: cannot ask the daemon: \(reason)"), "\(check.text)")
        let doctor = try run("doctor", "--socket", daemon.socket, "--config", "c.yaml")
        #expect(doctor.status == 1)
        #expect(doctor.text.contains("FAULT \(reason)"), "\(doctor.text)")
    }
}
