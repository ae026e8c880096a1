import Glibc
import TestSupport
import Testing
import XCallbackTesting

/// What a click says, and what `xcallback doctor` says, when a part is broken: one FAULT for one cause, and a command.
@Suite(.blocking)
struct BrokenSituationTests {
    /// A home with a daemon whose route runs a program.
    private struct Place {
        let daemon: RunningDaemon
        let site: DesktopSite
        let file: String
        let program: String

        init() throws {
            let directory = try TemporaryDirectory()
            program = directory.path(of: "greet")
            chmod(try directory.write("#!/bin/sh\necho hi\n", to: "greet"), 0o755)
            chmod(directory.path, 0o755)
            daemon = try RunningDaemon(
                "schemes: [notes]\nroutes: [{ route: notes:/a, public: true, exec: [\"\(program)\"] }]\n")
            self.directory = directory
            file = daemon.directory.path(of: "config.yaml")
            site = try DesktopSite(socket: daemon.socket)
            try site.install(program: "notify-send", script: "report \"$@\"; echo 7")
        }

        private let directory: TemporaryDirectory

        func shell(_ script: String) throws {
            expect(try site.run("sh", "-c", script).status, equals: 0, "\(script)")
        }

        /// Opens a URL as the desktop does, and returns its notification; nil after a success.
        func click(_ url: String = "notes:/a") throws -> String? {
            if try site.run("xcallback", "handle", "--", url).status == 0 { return nil }
            return try site.allReports()
        }

        /// Returns the faults that the doctor finds, with their help.
        func faults(_ arguments: String...) throws -> [String] {
            let result = try site.run("sh", "-c", (["xcallback", "doctor"] + arguments).joined(separator: " "))
            let blocks = result.output.replacing("\n      ", with: " | ").split(separator: "\n").map(String.init)
            let faults = blocks.filter { $0.hasPrefix("FAULT") }
            #expect((result.status == 1) == !faults.isEmpty, "\(result.output)")
            return faults
        }
    }

    @Test func aDaemonThatIsStopped() throws {
        let place = try Place()
        expect(try place.faults(), equals: [])
        expect(try place.click(), equals: nil)
        expect(try place.daemon.stop(), equals: 0)
        let problem = "cannot reach the daemon at '\(place.daemon.socket)': No such file or directory"
        expect(try place.click()) { $0?.contains("-- notes \(problem) start it: run 'xcallbackd --socket ") == true }
        let faults = try place.faults("--config", place.file)
        let command = "xcallbackd --socket \(place.daemon.socket) --config \(place.file)"
        #expect(faults == ["FAULT \(problem) | run: \(command)"])
    }

    @Test func aConfigurationThatAllUsersMayChange() throws {
        let place = try Place()
        try place.shell("chmod 666 \(place.file); xcallback reload; true")
        expect(try place.click(), equals: nil)
        let faults = try place.faults()
        #expect(
            faults.count == 1 && faults.first?.contains("found mode 0666 | run: chmod go-w \(place.file) | ") == true,
            "\(faults)")
        #expect(
            faults.first?.hasSuffix("after the fix, run 'xcallback reload --socket \(place.daemon.socket)'") == true,
            "\(faults)")
        try place.shell("chmod go-w \(place.file)")
        let fixed = try place.faults()
        let reload = "run: xcallback reload --socket \(place.daemon.socket)"
        #expect(fixed == ["FAULT the daemon serves an older configuration; the files are right now | \(reload)"])
        try place.shell("xcallback reload")
        expect(try place.faults(), equals: [])
    }

    @Test func aLinkToNothing() throws {
        let place = try Place()
        try place.shell("ln -sf /nonexistent/config.yaml \(place.file); xcallback reload; true")
        expect(try place.click(), equals: nil)
        let faults = try place.faults()
        #expect(faults.count == 1, "\(faults)")
        #expect(
            faults.first?.hasPrefix("FAULT there is no configuration at \(place.file)") == true, "\(faults)")
    }

    static let programs: [(script: String, cause: String, help: String)] = [
        ("rm PROGRAM", "'PROGRAM' does not exist", ""),
        ("chmod a-x PROGRAM", "'PROGRAM' is not executable", "chmod +x PROGRAM"),
        (
            "sed -i '1s|.*|#!/bin/bsh|' PROGRAM",
            "'PROGRAM' wants '/bin/bsh', which does not exist: install it, or change line 1", ""
        ),
    ]

    @Test(arguments: programs)
    func aProgramThatCannotStart(script: String, cause: String, help: String) throws {
        let place = try Place()
        func filled(_ text: String) -> String { text.replacing("PROGRAM", with: place.program) }
        try place.shell(filled(script))
        let run = help.isEmpty ? "" : ": run '\(help)'"
        expect(try place.click()) { $0?.hasSuffix("The handler failed. (500) cause: \(filled(cause + run))") == true }
        let faults = try place.faults()
        let end = help.isEmpty ? "" : " | run: \(help)"
        #expect(faults == [filled("FAULT \(place.file):2:50: \(cause)\(end)")], "\(faults)")
    }

    @Test func aSchemeThatAnotherApplicationHas() throws {
        let place = try Place()
        try place.site.install("other", for: ["notes"], script: "report other")
        try place.shell("xcallback register notes >/dev/null; xdg-mime default other.desktop x-scheme-handler/notes")
        let opening = try place.site.start(["xdg-open", "notes:/a"], to: "opened")
        expect(try place.site.nextReport(), equals: "other")
        expect(try opening.wait(), equals: 0)
        let faults = try place.faults()
        let list = place.site.directory.path(of: ".config/mimeapps.list")
        #expect(faults.count == 1 && faults.first?.contains("but other (/") == true, "\(faults)")
        #expect(
            faults.first?.contains("; \(list) says so | run: xcallback register notes --default") == true, "\(faults)")
    }

    @Test func aCommandThatWasMovedAway() throws {
        let place = try Place()
        try place.shell(
            "xcallback register notes >/dev/null; sed -i 's|^Exec=.*/xcallback |Exec=/gone/xcallback |' $HOME/\(place.site.entry)"
        )
        // The desktop finds no program, so the click fails before any of ours runs.
        let opened = try place.site.run("xdg-open", "notes:/a")
        #expect(opened.status != 0, "\(opened.output)")
        let faults = try place.faults()
        let command = "run: xcallback register notes --config \(place.file)"
        #expect(faults == ["FAULT links start /gone/xcallback, which does not exist | \(command)"], "\(faults)")
    }

    @Test func aDaemonThatWasMovedAway() throws {
        let place = try Place()
        expect(try place.daemon.stop(), equals: 0)
        expect(try place.click()) { $0?.contains("-- notes cannot reach the daemon at '") == true }
        try place.shell(
            "cd; mkdir -p bin; ln '\(try RunningDaemon.program("xcallback"))' bin/xcallback || cp '\(try RunningDaemon.program("xcallback"))' bin/xcallback"
        )
        let result = try place.site.run(
            "sh", "-c", "PATH=$HOME/bin:/usr/bin:/bin xcallback doctor --config \(place.file)")
        #expect(result.status == 1)
        let end = "the program xcallbackd is not installed, or not in the PATH\n      reinstall xcallbackd\n"
        #expect(result.output.contains(end), "\(result.output)")
    }
}
