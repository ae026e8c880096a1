import Glibc
import TestSupport
import Testing
import XCallbackTesting

/// The findings of `xcallback doctor` with the real tools and the real daemon.
@Suite(.blocking)
struct DoctorTests {
    private static let configuration = "schemes: [notes]\nroutes: [{ route: notes:/a, respond: { a: 1 } }]\n"

    private let daemon: RunningDaemon
    private let site: DesktopSite

    init() throws {
        daemon = try RunningDaemon(Self.configuration)
        site = try DesktopSite(socket: daemon.socket)
    }

    @Test func whatIsWellIsSaidToBe() throws {
        let file = try site.directory.write(Self.configuration, to: "config.yaml")
        expect(try site.run("xcallback", "register", "--all", "--config", file).status, equals: 0)
        let result = try site.run("xcallback", "doctor", "--config", file)
        #expect(result.status == 0, "\(result.output)")
        for line in [
            "ok    daemon ", "ok    socket \(daemon.socket)\n", "ok    configuration valid: 1 route for notes\n",
            "ok    scheme notes: xcallback has it\n", "ok    scheme xcallback: xcallback has it\n",
            "ok    the desktop starts /",
        ] {
            #expect(result.output.contains(line), "\(line)")
        }
    }

    @Test func whatAssistantsReachIsReportedByFile() throws {
        let route = "{ route: ROUTE, agent: true, title: Six by, description: twelve bytes, respond: { a: 1 } }"
        let daemon = try RunningDaemon(
            "schemes: [notes]\nroutes:\n"
                + ["notes:/a", "notes:/b"].map { "  - \(route.replacing("ROUTE", with: $0))\n" }.joined())
        let site = try DesktopSite(socket: daemon.socket)
        let file = daemon.directory.path(of: "config.yaml")
        let result = try site.run("xcallback", "doctor", "--config", file)
        let command = try RunningDaemon.program("xcallback")
        let entry = #"their clients start { "command": "\#(command)", "args": ["mcp"] }"#
        expect(result.output) { $0.contains("ok    assistants reach 2 actions: notes_a, notes_b; \(entry)\n") }
    }

    @Test func aConfigurationThatIsNotThereHasNoFaults() throws {
        let file = site.directory.path(of: "none.yaml")
        let named = try site.run("xcallback", "doctor", "--config", file)
        #expect(named.status == 1)
        #expect(named.output.contains("FAULT there is no configuration at \(file)\n"), "\(named.output)")
        // Without the option, the daemon's routes reveal the file.
        let own = try site.run("xcallback", "doctor")
        #expect(own.status == 0)
        #expect(own.output.contains("ok    configuration valid: 1 route for notes\n"), "\(own.output)")
    }

    @Test(.enabled(if: geteuid() == 0, "only root can start the daemon of another user"))
    func theDaemonOfAnotherUserIsLeftToThatUser() throws {
        let directory = try TemporaryDirectory()
        chown(directory.path, 65_534, 65_534)
        let user = #"chmod 666 "$NOTIFY_SOCKET"; exec setpriv --reuid=65534 --clear-groups "$0" "$@""#
        let daemon = try RunningDaemon(
            starting: Self.configuration, in: directory, under: ["/bin/bash", "-c", user])
        try daemon.waitUntilReady()
        let site = try DesktopSite(socket: daemon.socket)
        func expectOneFinding() throws {
            let result = try site.run("xcallback", "doctor")
            #expect(result.status == 1)
            #expect(
                result.output == "FAULT this is another user's daemon: \(directory.path) belongs to uid 65534\n"
                    + "      run 'xcallback doctor' as that user\n")
        }
        try expectOneFinding()
        expect(try daemon.stop(), equals: 0)
        try expectOneFinding()
    }

    @Test func toolsThatAreMissingAreReported() throws {
        let site = try DesktopSite()
        let programs = try RunningDaemon.program("xcallback").dropLast("/xcallback".count)
        let result = try site.run("PATH=\(programs)", "xcallback", "doctor")
        #expect(result.status == 1)
        for package in ["xdg-utils", "libglib2.0-bin", "desktop-file-utils", "libnotify-bin", "zenity"] {
            let words = [
                "      run: apt-get install --yes \(package)\n",
                "      run as root: apt-get install --yes \(package)\n",
                "      install the equivalent of Debian's \(package)\n",
            ]
            #expect(words.contains { result.output.contains($0) }, "\(result.output)")
        }
    }

    @Test func aMissingDesktopIsOneLine() throws {
        let site = try DesktopSite(socket: daemon.socket, session: [])
        let line = "-     the desktop was not checked: this session has no display\n"
        let text = try site.run("xcallback", "doctor").output
        #expect(text.contains(line), "\(text)")
        #expect(!text.contains("scheme ") && !text.contains("xdg-open"), "\(text)")
        let known = try site.run("XDG_CURRENT_DESKTOP=sway", "xcallback", "doctor").output
        #expect(known.contains("note  xdg-open starts nothing: this session has neither a desktop "), "\(known)")
    }

    private static let lack = "neither zenity nor kdialog is installed: "

    static let questions: [(route: String, canNotify: Bool, finding: String)] = [
        ("public: true", false, "FAULT \(lack)nobody can answer the question of notes:/q (503)"),
        ("public: true", true, "note  \(lack)questions are notifications, or impossible"),
        ("agent: true", true, "FAULT \(lack)nobody can answer the question of notes:/q for an assistant (503)"),
    ]

    @Test(arguments: questions)
    func aQuestionThatNobodyCanAnswerIsAFault(route: String, canNotify: Bool, finding: String) throws {
        let file = try site.directory.write(
            "schemes: [notes]\nroutes: [{ route: notes:/q, \(route), policies: [{ confirm: Sure? }], respond: }]\n",
            to: "draft.yaml")
        // A PATH without the dialogs that this machine may have.
        let tools = ["setsid", "setpriv", "notify-send"] + (canNotify ? ["busctl"] : [])
        for tool in tools { try site.install(program: tool, script: #"echo 'as 1 "actions"'"#) }
        let command = try RunningDaemon.program("xcallback")
        let words = "PATH=\(site.directory.path)/bin exec \(command) doctor --config \(file)"
        let output = try site.run("sh", "-c", words).output
        #expect(output.contains("\(finding)\n"), "\(output)")
        if finding.hasPrefix("FAULT") { #expect(output.contains("zenity\n"), "\(output)") }
    }

    @Test func aDraftIsNotComparedWithWhatIsServed() throws {
        let draft = try site.directory.write(Self.configuration.replacing("/a", with: "/b"), to: "draft.yaml")
        let valid = try site.run("xcallback", "doctor", "--config", draft)
        #expect(!valid.output.contains("the daemon does not serve"), "\(valid.output)")
        #expect(valid.status == 0)
        try site.directory.write("schemas: [notes]\nroutes: []\n", to: "draft.yaml")
        let faulty = try site.run("xcallback", "doctor", "--config", draft)
        let text =
            "FAULT the configuration has 2 faults\n      \(draft):1:1: expected the key 'schemes'"
        #expect(faulty.output.contains(text), "\(faulty.output)")
    }

    @Test func theSameFileIsComparedUnderAnotherPath() throws {
        func doctor() throws -> String {
            try site.run("sh", "-c", "cd '\(daemon.directory.path)' && xcallback doctor --config ./config.yaml").output
        }
        let note = "note  the daemon serves an older configuration: the current files were not loaded\n"
        expect(try doctor()) { !$0.contains(note) }
        try daemon.directory.write(Self.configuration.replacing("/a", with: "/b"), to: "config.yaml")
        expect(try doctor()) { $0.contains(note) }
        // The description of a route counts, too.
        let titled = Self.configuration.replacing("respond:", with: "title: Another, respond:")
        try daemon.directory.write(titled, to: "config.yaml")
        expect(try doctor()) { $0.contains(note) }
        try daemon.directory.write("schemas: [notes]\nroutes: []\n", to: "config.yaml")
        let faulty = try doctor()
        #expect(faulty.contains("FAULT the configuration has 2 faults\n"))
        #expect(
            faulty.contains("\n      the daemon serves an older configuration; after the fix, run 'xcallback reload "))
    }

    @Test func theConfigurationOfADaemonWithARelativePathIsFound() throws {
        let site = try DesktopSite()
        let socket = site.directory.path(of: "socket")
        try site.directory.write(Self.configuration, to: "served.yaml")
        let words = "cd '\(site.directory.path)' && exec xcallbackd --config served.yaml --socket socket"
        let daemon = try site.start(["sh", "-c", words], to: "log")
        try waitUntil("the daemon answers") {
            try site.run("xcallback", "status", "--socket", socket).status == 0 || !daemon.isRunning
        }
        let result = try site.run("xcallback", "doctor", "--socket", socket)
        #expect(result.output.contains("ok    configuration valid: 1 route for notes\n"), "\(result.output)")
        let place = site.directory.path(of: "served.yaml")
        #expect(result.output.contains("      run: xcallback register --all --config \(place)\n"), "\(result.output)")
        daemon.send(signal: SIGTERM)
        _ = try daemon.wait()
    }

    @Test func whatIsNotShownIsCounted() throws {
        let programs = (1...7).map { "  - { route: notes:/\($0), exec: [no-such-program-\($0)] }\n" }
        let daemon = try RunningDaemon("schemes: [notes]\nroutes:\n\(programs.joined())")
        let site = try DesktopSite(socket: daemon.socket)
        let warned = try site.run("xcallback", "doctor")
        let file = daemon.directory.path(of: "config.yaml")
        #expect(warned.output.contains("program 'no-such-program-5' is not in "), "\(warned.output)")
        #expect(warned.output.contains("\nnote  and 2 more: 'xcallback check --config \(file)' shows them\n"))
        let faults = (1...60).map { "  - { route: notes:/\($0), respond: { a: b }, rout: 1 }\n" }
        try daemon.directory.write("schemes: [notes]\nroutes:\n\(faults.joined())", to: "config.yaml")
        let faulty = try site.run("xcallback", "doctor")
        #expect(faulty.output.contains("FAULT the configuration has 60 faults\n"), "\(faulty.output)")
        #expect(faulty.output.contains("\n      and 55 more: 'xcallback check --config \(file)' shows them\n"))
    }
}
