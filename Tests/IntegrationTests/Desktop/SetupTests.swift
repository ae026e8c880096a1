import Glibc
import TestSupport
import Testing
import XCallbackTesting

/// `xcallback setup` with the real tools of the desktop.
@Suite(.blocking)
struct SetupTests {
    private static let dropIn = ".config/xcallbackd/routes.d/notes/notes.yaml"
    private static let program = ".config/xcallbackd/routes.d/notes/notes"
    private static let record = ".local/state/xcallbackd/setup.json"
    private static let othersDefault = "[Default Applications]\nx-scheme-handler/notes=other.desktop\n"

    @Test func theTrialMakesANote() throws {
        let site = try SetupSite()
        try site.installServiceManager()
        let before = try site.contents()
        let result = try site.setup("notes", "--yes")
        #expect(result.status == 0, "\(result.output)")
        for line in [
            "wrote         \(site.home.path)/\(Self.dropIn)\n", "checked       the configuration is valid\n",
            "enabled       xcallbackd.socket, which starts the daemon\n",
            "launchers     entries of actions: 1 written, 0 removed; GNOME needs up to 11 s\n",
            "registered    notes: xcallback has it\n",
            "trying        notes:/new?title=First%20note&text=It%20works.: if a question opens, any answer will do\n",
            "opened        notes:/new?title=First%20note&text=It%20works.\n",
            "result        'xcallback open notes:/read/First%20note' prints:\n              result=It works.\n",
            "notes is set up. Next:\n  xcallback open notes:/new\n",
            "Undo with: xcallback remove notes\n",
        ] {
            #expect(result.output.contains(line), "\(line) in \(result.output)")
        }
        expect(try site.home.text(of: "Notes/First note.md"), equals: "It works.\n")
        expect(try site.home.text(of: "run/log")) { !$0.contains("failed") }
        expect(try site.home.text(of: "asked"), equals: "asked\n")
        expect(try site.home.mode(of: Self.program), equals: 0o755)
        expect(try site.home.mode(of: Self.dropIn), equals: 0o644)
        // Nothing is left but what the user has made.
        let removed = try site.run("xcallback", "remove", "notes")
        #expect(removed.status == 0, "\(removed.output)")
        #expect(removed.output.contains("disabled      xcallbackd.socket\n"))
        #expect(removed.output.contains("kept          ~/Notes: your own data\n"))
        expect(try site.contents(), equals: before)
        expect(try site.home.text(of: "Notes/First note.md"), equals: "It works.\n")
        expect(try site.run("xcallback", "status").status, equals: 7)
    }

    @Test func theTrialOfAnExampleThatLocksTheHomeEnds() throws {
        let site = try SetupSite()
        for file in ["todo.yaml", "todo"] {
            let text = try textOfPackageFile("config/examples/todo/\(file)")
            try site.home.write(text, to: "prefix/share/xcallbackd/examples/todo/\(file)")
        }
        chmod(site.home.path(of: "prefix/share/xcallbackd/examples/todo/todo"), 0o755)
        try site.installServiceManager()
        let result = try site.setup("todo", "--yes")
        #expect(result.status == 0, "\(result.output)")
        expect(try site.home.text(of: "todo.txt"), equals: "Try xcallback\n")
        expect(try site.run("xcallback", "remove", "todo").status, equals: 0)
        // The list is the user's, and needs no second task.
        expect(try site.setup("todo", "--yes").output) { $0.contains("not tried     todo:/add?task=Try%20xcallback: ") }
        expect(try site.home.text(of: "todo.txt"), equals: "Try xcallback\n")
    }

    @Test func whatTheUserHadStays() throws {
        let site = try SetupSite()
        let own = "schemes: [own]\nroutes: [{ route: own:/a, respond: {} }]\n"
        try site.home.write(own, to: ".config/xcallbackd/config.yaml")
        try site.home.write("[Default Applications]\ntext/html=b.desktop\n", to: ".config/mimeapps.list")
        try site.installServiceManager(isEnabled: true)
        try site.run("xcallback", "register", "own", "notes", "--default")
        let before = try site.contents()
        expect(try site.setup("notes", "--yes").status, equals: 0)
        let result = try site.run("xcallback", "remove", "notes")
        #expect(result.status == 0, "\(result.output)")
        expect(try site.contents(), equals: before)
        expect(try site.run("xcallback", "open", "own:/a").status, equals: 0)
        expect(try site.run("xcallback", "open", "notes:/list").status, equals: 6)
        try site.run("systemctl", "--user", "stop", "xcallbackd.service")
    }

    @Test func aSecondTimeNothingIsDone() throws {
        let site = try SetupSite()
        try site.installServiceManager()
        expect(try site.setup("notes", "--yes").status, equals: 0)
        unlink(site.home.path(of: Self.dropIn))
        let before = try site.contents()
        let second = try site.setup("notes")
        #expect(second.status == 0)
        #expect(second.output == "notes is already set up. Undo with: xcallback remove notes\n")
        expect(try site.contents(), equals: before)
        expect(try site.run("xcallback", "remove", "notes").status, equals: 0)
        expect(try site.setup("notes", "--yes", "--no-try").status, equals: 0)
        expect(try site.run("xcallback", "remove", "notes").status, equals: 0)
    }

    @Test func whatTheUserHasEditedIsLeftAlone() throws {
        let site = try SetupSite()
        let daemonless = try site.setup("notes", "--yes")
        #expect(daemonless.status == 0)
        let edited = try site.home.text(of: Self.dropIn) + "# mine\n"
        try site.home.write(edited, to: Self.dropIn)
        try site.giveAway()
        let undone = try site.run("xcallback", "remove", "notes")
        #expect(undone.status == 0)
        #expect(undone.output.contains("kept          \(site.home.path)/\(Self.dropIn): you have changed it\n"))
        expect(try site.home.text(of: Self.dropIn), equals: edited)
        // The remaining files work: the routes need their program and the settings.
        #expect(site.home.contains(Self.program) && site.home.contains(".config/xcallbackd/config.yaml"))
        // What it still needs is remembered until it is gone.
        expect(
            try site.run("sh", "-c", "rm -r ~/.config/xcallbackd/routes.d && xcallback remove notes").status, equals: 0)
        #expect(!site.home.contains(Self.record) && !site.home.contains(".config/xcallbackd"))
    }

    /// The steps go on, and the end that cannot be told is undone as a whole.
    @Test func anOutputThatCannotBeWrittenLeavesNothingHalfDone() throws {
        let site = try SetupSite()
        let before = try site.contents()
        expect(try site.run("sh", "-c", "xcallback setup notes --yes >/dev/full").status, equals: 74)
        expect(try site.contents(), equals: before)
        expect(try site.setup("notes", "--yes").status, equals: 0)
        expect(try site.run("sh", "-c", "xcallback remove notes >/dev/full").status, equals: 74)
        #expect(!site.home.contains(Self.record) && !site.home.contains(Self.dropIn))
    }

    @Test func whereAnotherApplicationHasTheSchemeItIsNotOpened() throws {
        let site = try SetupSite()
        try site.installServiceManager()
        try site.site.install("other", for: ["notes"], script: "touch $HOME/other")
        try site.home.write(Self.othersDefault, to: ".config/mimeapps.list")
        try site.giveAway()
        let result = try site.run(
            "sh", "-c", "printf 'y\\nn\\n' | script -qec 'xcallback setup notes' /dev/null")
        #expect(result.status == 0, "\(result.output)")
        expect(result.output) { $0.contains("opened        notes:/new?") }
        #expect(!site.home.contains("other"))
        expect(try site.run("xcallback", "remove", "notes").status, equals: 0)
    }

    @Test func withFaultsInTheConfigurationNothingIsChanged() throws {
        let site = try SetupSite()
        try site.installServiceManager()
        let own = "schemes: [notes]\nroutes: [{ route: notes:/new, respond: {} }]\n"
        try site.home.write(own, to: ".config/xcallbackd/config.yaml")
        try site.giveAway()
        let before = try site.contents()
        let result = try site.setup("notes", "--yes")
        #expect(result.status == 78)
        #expect(result.output.contains("routes.d/notes/notes.yaml:13:"), "\(result.output)")
        #expect(result.output.contains("xcallback: all changes were undone\n"))
        expect(try site.contents(), equals: before)
    }

    @Test func withoutAServiceManagerItTellsHowToStartTheDaemon() throws {
        let site = try SetupSite()
        let result = try site.setup("notes", "--yes")
        #expect(result.status == 0)
        #expect(result.output.contains("not started   the daemon: your service manager is not running\n"))
        let end = "notes is set up, but no daemon runs. Next:\n  xcallbackd &\n  xcallback open notes:/new\n"
        #expect(result.output.contains(end))
        let daemon = try site.startDaemon()
        expect(try site.run("xcallback", "open", "notes:/read/none").status, equals: 1)
        let undone = try site.run("xcallback", "remove", "notes")
        #expect(undone.output.contains("stop it with 'kill "), "\(undone.output)")
        daemon.send(signal: SIGTERM)
        expect(try daemon.wait(), equals: 0)
    }

    private static let autostart = ".config/autostart/xcallbackd.desktop"
    private static let isBooted = access("/run/systemd/system", F_OK) == 0

    /// On OpenRC or runit the session starts the daemon: from the setup to the first answer, and back.
    @Test(.enabled(if: !isBooted, "needs a machine without systemd"))
    func withoutSystemdTheSessionStartsTheDaemon() throws {
        let site = try SetupSite()
        let before = try site.contents()
        let result = try site.setup("notes", "--yes")
        #expect(result.status == 0)
        let line = "wrote         \(site.home.path)/\(Self.autostart), which starts the daemon with your session\n"
        #expect(result.output.contains(line), "\(result.output)")
        let entry = try site.home.text(of: Self.autostart)
        #expect(entry.contains("\nExec=xcallbackd\n"), "\(entry)")
        let note = "note  nothing starts the daemon with your session"
        let good = "ok    your session starts the daemon (\(site.home.path)/\(Self.autostart))\n"
        expect(try site.run("xcallback", "doctor").output) { $0.contains(good) }
        // The session's next start.
        let daemon = try site.startDaemon()
        expect(try site.run("xcallback", "open", "notes:/new?title=First%20note&text=It%20works.").status, equals: 0)
        expect(try site.run("xcallback", "open", "notes:/read/First%20note").output, equals: "result=It works.\n")
        expect(try site.run("xcallback", "remove", "notes").status, equals: 0)
        daemon.send(signal: SIGTERM)
        expect(try daemon.wait(), equals: 0)
        // The history is the user's.
        expect(try site.run("xcallback", "history", "--clear").status, equals: 0)
        expect(try site.contents(), equals: before)
        expect(try site.run("xcallback", "doctor").output) { $0.contains(note) }
    }

    @Test(.enabled(if: !isBooted, "needs a machine without systemd"))
    func aRegistrationStartsTheDaemonToo() throws {
        let site = try SetupSite()
        try site.install("xcallbackd", in: "prefix/bin", "#!/bin/sh\n")
        let path = "\(site.home.path)/\(Self.autostart)"
        try site.giveAway()
        #expect(
            try site.run("xcallback", "register", "a", "b").output.hasSuffix(
                "\(path): starts the daemon with your session\n"))
        expect(try site.home.text(of: Self.autostart)) {
            $0.contains("\nExec=\(site.home.path)/prefix/bin/xcallbackd\n")
        }
        expect(try site.run("desktop-file-validate", path).status, equals: 0)
        // The user has switched it off.
        try site.run("sh", "-c", "echo Hidden=true >>\(path)")
        expect(try site.run("xcallback", "register", "c").output) { !$0.contains("with your session") }
        expect(try site.home.text(of: Self.autostart)) { $0.hasSuffix("\nHidden=true\n") }
        expect(try site.run("xcallback", "unregister", "a", "b").status, equals: 0)
        #expect(site.home.contains(Self.autostart))
        expect(try site.run("xcallback", "unregister").status, equals: 0)
        #expect(!site.home.contains(Self.autostart))
        try site.home.write("[Desktop Entry]\nType=Application\nName=mine\nExec=mine\n", to: Self.autostart)
        try site.giveAway()
        expect(try site.run("xcallback", "register", "a").status, equals: 0)
        expect(try site.run("xcallback", "unregister").status, equals: 0)
        #expect(site.home.contains(Self.autostart))
    }

    static let sessions: [(variable: String, line: String)] = [
        ("SWAYSOCK=/s", "in ~/.config/sway/config: exec systemctl"),
        ("I3SOCK=/s", "in ~/.config/i3/config: exec --no-startup-id systemctl"),
        ("XDG_CURRENT_DESKTOP=Hyprland", "in ~/.config/hypr/hyprland.conf: exec-once = systemctl"),
        ("XDG_CURRENT_DESKTOP=river", "in ~/.config/river/init: systemctl"),
        (
            "XDG_CURRENT_DESKTOP=ubuntu:GNOME",
            "in ~/.config/autostart/display.desktop: the lines '[Desktop Entry]', 'Type=Application', 'Name=Display' "
                + "and Exec=systemctl"
        ),
        ("WAYLAND_DISPLAY=w", "in the file that your compositor runs at its start: systemctl"),
        ("A=b", "in ~/.xinitrc, before the window manager: systemctl"),
    ]

    /// sway, i3 and startx do not give the service manager their display.
    @Test(arguments: sessions)
    func aServiceManagerWithoutADisplayIsReported(variable: String, line: String) throws {
        let site = try SetupSite()
        try site.installServiceManager(variables: "HOME=/")
        let command = "systemctl --user import-environment DISPLAY WAYLAND_DISPLAY"
        let result = try site.setup("notes", "--yes", environment: [variable, "XAUTHORITY="])
        #expect(result.status == 0, "\(result.output)")
        let advice = "\(line) --user import-environment DISPLAY WAYLAND_DISPLAY\n"
        #expect(
            result.output.contains("              now: \(command)\n              and \(advice)"), "\(result.output)")
        let found = try site.run("xcallback", "doctor", environment: [variable])
        #expect(found.status == 1)
        let fault =
            "FAULT your service manager has no display: programs and questions of the daemon cannot show windows\n"
        #expect(found.output.contains("\(fault)      run: \(command)\n      and \(advice)"), "\(found.output)")
        try site.installServiceManager(isEnabled: true, variables: "DISPLAY=:99")
        expect(try site.run("xcallback", "doctor").output) { !$0.contains("no display") }
        expect(try site.run("xcallback", "remove", "notes").status, equals: 0)
    }

    /// The layout of home-manager, and of a folder of dotfiles, with the umask and the group of the user.
    @Test func aLinkedConfigurationIsLoaded() throws {
        let site = try SetupSite()
        let store = site.home.path(of: "nix/store")
        let text = "schemes: [own]\nroutes: [{ route: own:/a, respond: { a: 1 } }]\n"
        try site.home.write(text, to: "nix/store/0-home-manager-files/config.yaml")
        try site.home.write("", to: ".config/xcallbackd/routes.d/.kept")
        try site.home.write(text.replacing("own", with: "dot"), to: "dotfiles/xcallbackd/dot.yaml")
        symlink("\(store)/0-home-manager-files/config.yaml", site.home.path(of: ".config/xcallbackd/config.yaml"))
        symlink("../../../dotfiles/xcallbackd/dot.yaml", site.home.path(of: ".config/xcallbackd/routes.d/dot.yaml"))
        try site.giveAway()
        if geteuid() == 0 {
            // The group 'nixbld'.
            #expect(
                chown("\(site.home.path)/nix", 0, 0) == 0 && chown(store, 0, 30_000) == 0 && chmod(store, 0o1775) == 0)
            for name in ["", "/config.yaml"] { chown("\(store)/0-home-manager-files\(name)", 0, 0) }
        }
        expect(try site.run("xcallback", "check").output, equals: "valid: 2 routes for own, dot in 2 files\n")
        try site.startDaemon()
        expect(try site.run("xcallback", "open", "own:/a", "dot:/a").output, equals: "a=1\na=1\n")
        let reload = try site.run("xcallback", "reload")
        #expect(reload.status == 0, "\(reload.output)")
        let found = try site.run("xcallback", "doctor").output
        #expect(!found.contains("xcallback reload"), "\(found)")
        #expect(found.contains("ok    configuration valid: 2 routes"), "\(found)")
    }

    @Test(arguments: [false, true])
    func aDaemonWithAnotherConfigurationIsReported(hasManager: Bool) throws {
        let site = try SetupSite()
        let other = "schemes: [other]\nroutes: [{ route: other:/a, respond: {} }]\n"
        let file = try site.home.write(other, to: "other/config.yaml")
        let daemon = try site.startDaemon("--config", file)
        if hasManager {
            try site.installServiceManager(isEnabled: true)
            try site.home.write("\(daemon.id)\n", to: "run/process")
            try site.giveAway()
        }
        let before = try site.contents()
        let result = try site.setup("notes", "--yes")
        #expect(result.status == 1)
        #expect(
            result.output.contains(
                ", process \(daemon.id), does not serve notes:/new: it reads another configuration\nstop it, or "),
            "\(result.output)")
        expect(try site.contents(), equals: before)
        #expect(daemon.isRunning)
    }

    /// The disk of the target can be one that is not there now.
    @Test func aLinkWithoutItsTargetStays() throws {
        let site = try SetupSite()
        try site.home.write("", to: ".config/xcallbackd/.kept")
        let link = site.home.path(of: ".config/xcallbackd/config.yaml")
        symlink("/mnt/absent/config.yaml", link)
        try site.giveAway()
        let result = try site.setup("notes", "--yes", "--no-try")
        #expect(result.status == 1 && result.output.contains("'\(link)' is a link to a file that does not exist"))
        expect(try site.run("readlink", link).output, equals: "/mnt/absent/config.yaml\n")
        #expect(!site.home.contains(".config/xcallbackd/routes.d"), "\(result.output)")
    }

    static let needs: [(need: String, variables: String?, missing: String?)] = [
        ("needs absent a-package", nil, "absent: "),
        ("needs absent https://a.example", nil, "absent: install it from https://a.example"),
        ("needs absent: https://a.example", nil, "an application that opens absent URLs: install it from "),
        ("needs absent a-package x11", nil, "absent: "), ("needs absent a-package wayland", nil, nil),
        (
            "needs ask", "PATH=/usr/bin:/bin",
            "ask in the PATH of your service manager, which starts it: see environment.d(5)"
        ),
        ("needs ask", "DISPLAY=:99", nil), ("manager", nil, nil),
    ]

    /// What the programs of an example need is there in the session that starts them, or nothing is changed.
    @Test(arguments: needs)
    func whatIsMissingInTheSessionIsReported(need: String, variables: String?, missing: String?) throws {
        let site = try SetupSite("# Notes.\n#\n# setup: \(need)\n\(SetupSite.notes)")
        try site.installServiceManager(variables: variables)
        let before = try site.contents()
        let result = try site.setup("notes", "--yes", "--no-try")
        guard let missing else {
            #expect(result.status == 0, "\(result.output)")
            expect(try site.run("xcallback", "remove", "notes").status, equals: 0)
            return
        }
        #expect(result.status == 1)
        #expect(result.output.contains("notes needs \(missing)"), "\(result.output)")
        #expect(result.output.hasSuffix("\nnothing was changed\n"))
        expect(try site.contents(), equals: before)
    }

    @Test func anExampleForTheServiceManagerNeedsOne() throws {
        let site = try SetupSite("# Notes.\n#\n# setup: manager\n\(SetupSite.notes)")
        let result = try site.setup("notes", "--yes")
        #expect(result.status == 1)
        let text = "notes needs a running systemd user manager\nnothing was changed\n"
        #expect(result.output.hasSuffix(text), "\(result.output)")
    }

    @Test func aNoIsNoFailure() throws {
        let site = try SetupSite()
        try site.installServiceManager()
        try site.home.write("", to: "no")
        let result = try site.setup("notes", "--yes")
        #expect(result.status == 0)
        let declined = "declined      notes:/new?title=First%20note&text=It%20works.: you answered no\n"
        #expect(result.output.contains(declined))
        #expect(!site.home.contains("Notes/First note.md"))
        expect(try site.run("xcallback", "remove", "notes").status, equals: 0)
    }

    @Test func anExampleThatFailsIsTakenBack() throws {
        let site = try SetupSite(SetupSite.notes.replacing("[notes, new, --,", with: "[notes, sorry, --,"))
        try site.install("notes", in: "prefix/share/xcallbackd/examples/notes", "#!/bin/sh\nexit 7\n")
        try site.installServiceManager()
        let before = try site.contents()
        let result = try site.setup("notes", "--yes")
        #expect(result.status == 1)
        #expect(
            result.output.contains("=It%20works. failed: The program ended with status 7. (7)\n"), "\(result.output)")
        #expect(result.output.hasSuffix("xcallback: all changes were undone\n"))
        expect(try site.contents(), equals: before)
    }

    @Test(arguments: [false, true])
    func whatIsInterruptedIsTakenBack(isEnabled: Bool) throws {
        let site = try SetupSite()
        try site.install("ask", in: "bin", "#!/bin/sh\necho asked >\"$HOME/reports\"\nexec sleep 600\n")
        try site.installServiceManager(isEnabled: isEnabled)
        let before = try site.contents()
        let setup = try site.startSetup("notes", "--yes", to: "run/output")
        expect(try site.site.nextReport(), equals: "asked")
        setup.send(signal: SIGINT)
        expect(try setup.wait(), equals: 128 + SIGINT)
        let output = try site.home.text(of: "run/output")
        #expect(output.hasSuffix("xcallback: all changes were undone\n"), "\(output)")
        expect(try site.contents(), equals: before)
        expect(try site.run("xcallback", "status").status, equals: 7)
    }

    @Test func whatIsInterruptedIsTakenFromARunningDaemon() throws {
        let site = try SetupSite()
        let own = "schemes: [own]\nroutes: [{ route: own:/a, respond: {} }]\n"
        try site.home.write(own, to: ".config/xcallbackd/config.yaml")
        try site.install("ask", in: "bin", "#!/bin/sh\necho asked >\"$HOME/reports\"\nexec sleep 600\n")
        try site.installServiceManager(isEnabled: true)
        expect(try site.run("systemctl", "--user", "start", "xcallbackd.socket").status, equals: 0)
        let setup = try site.startSetup("notes", "--yes", to: "run/output")
        expect(try site.site.nextReport(), equals: "asked")
        setup.send(signal: SIGINT)
        expect(try setup.wait(), equals: 128 + SIGINT)
        expect(try site.home.text(of: "run/output")) { $0.hasSuffix("xcallback: all changes were undone\n") }
        expect(try site.run("xcallback", "routes").output) { $0.contains("\nown\n") && !$0.contains("\nnotes\n") }
        try site.run("systemctl", "--user", "stop", "xcallbackd.service")
    }
}
