import Glibc
import Testing
import XCallbackTesting

/// A newcomer's commands when something does not work: one command names the cause, and one fixes it.
@Suite(.blocking, .timeLimit(.minutes(10)))
struct DiagnosisTests {
    @Test func anActionWhoseProgramIsMissing() throws {
        let directory = try TemporaryDirectory()
        let daemon = try RunningDaemon(
            "schemes: [demo]\nroutes: [{ route: demo:/hello/:name, exec: [greet, \"{name}\"] }]\n",
            preparation: "PATH='\(directory.path)/bin':$PATH")
        let site = try DesktopSite(socket: daemon.socket)
        let program = try site.directory.write("#!/bin/sh\necho \"Hello $1\"\n", to: "Downloads/greet")
        let failed = try site.run("xcallback", "open", "demo:/hello/Ada")
        #expect(failed.status == 1)
        #expect(failed.output.hasPrefix("error: The handler failed. (500, request "))
        let cause =
            "program 'greet' is not in the PATH (\(directory.path)/bin:/usr/bin:/bin): write its whole path"
        #expect(failed.output.contains("\ncause: \(cause)\n"), "\(failed.output)")
        #expect(try site.run("xcallback", "check").output.contains(cause))
        #expect(try site.run("xcallback", "doctor").output.contains(cause))
        try site.run("install", "-D", program, "\(directory.path)/bin/greet")
        let fixed = try site.run("xcallback", "open", "demo:/hello/Ada")
        #expect(fixed.output == "result=Hello Ada\n")
        #expect(try !site.run("xcallback", "doctor").output.contains(cause))
    }

    @Test func aSchemeThatOpensTheWrongApplication() throws {
        let directory = try TemporaryDirectory()
        let file = directory.path(of: "reached")
        let daemon = try RunningDaemon(
            "schemes: [notes]\nroutes: [{ route: notes:/new, public: true, exec: [touch, \(file)] }]\n")
        let site = try DesktopSite(socket: daemon.socket)
        try site.install("other", for: ["notes"], script: "tell other")
        #expect(try site.run("xcallback", "register", "notes").status == 0)
        try site.run("xdg-mime", "default", "other.desktop", "x-scheme-handler/notes")
        let opening = try site.start(["xdg-open", "notes:/new"], to: "opened")
        #expect(try site.hear() == "other")
        #expect(try opening.wait() == 0)
        let found = try site.run("xcallback", "doctor").output
        #expect(found.contains("scheme notes has routes, but other (/"), "\(found)")
        let command = "xcallback register notes --default --config \(daemon.directory.path(of: "config.yaml"))"
        #expect(found.contains("      run: \(command)\n"), "\(found)")
        #expect(try site.run("sh", "-c", command).status == 0)
        let opened = try site.run("xdg-open", "notes:/new")
        #expect(opened.status == 0, "\(opened.output)")
        #expect(try site.run("timeout", "30", "sh", "-c", "until test -e \(file); do sleep 0.01; done").status == 0)
        #expect(!site.hasMore)
    }

    /// After `su`, and in the jobs of cron.
    @Test func aProcessOutsideOfASession() throws {
        let site = try SetupSite()
        let user = geteuid() == 0 ? 65_534 : geteuid()
        let missing = try site.run("env", "-u", "XDG_RUNTIME_DIR", "xcallback", "open", "notes:/a")
        #expect(missing.status == 7)
        let unset = "XDG_RUNTIME_DIR is not set, as after 'su' or in a cron job, and '/run/user/\(user)' "
        #expect(missing.output.contains("\n\(unset)"), "\(missing.output)")
        let found = try site.run("env", "-u", "XDG_RUNTIME_DIR", "xcallback", "doctor")
        #expect(found.output.contains("note  \(unset)"), "\(found.output)")
        try site.home.write(ManagedSite.configuration, to: ".config/xcallbackd/config.yaml")
        try site.giveAway()
        let daemon = try site.run("env", "-u", "XDG_RUNTIME_DIR", RunningDaemon.program("xcallbackd"))
        #expect(daemon.status == 73 && daemon.output.contains(unset), "\(daemon.output)")
    }

    @Test(.enabled(if: geteuid() == 0, "only root is root"))
    func rootAndTheDaemonOfAUser() throws {
        let site = try SetupSite()
        let home = site.home.path
        let job = ["-u", "XDG_RUNTIME_DIR", "-u", "XCALLBACK_SOCKET", "xcallback", "open", "notes:/a"]
        let root = try site.site.start(job, to: "cron")
        #expect(try root.wait() == 7)
        let help =
            "root has no daemon of a user: for that, 'runuser -u USER -- env XDG_RUNTIME_DIR=/run/user/UID xcallback …'"
        #expect(try site.home.text(of: "cron").contains("\n\(help)\n"))
        // After 'su' without '-', which keeps the variable.
        try site.home.write(ManagedSite.configuration, to: ".config/xcallbackd/config.yaml")
        try site.giveAway()
        let daemon = try site.startDaemon()
        defer { daemon.send(signal: SIGTERM) }
        let kept = try site.site.start(["-u", "XCALLBACK_SOCKET", "xcallback", "open", "notes:/a"], to: "su")
        #expect(try kept.wait() != 0)
        let text = try site.home.text(of: "su")
        #expect(text.contains("'runuser -u nobody -- env XDG_RUNTIME_DIR=/run/user/65534 xcallback …'"), "\(text)")
        chmod(home, 0o755)
        let words = ["setpriv", "--reuid=12345", "--regid=12345", "--clear-groups", "xcallback", "open", "notes:/a"]
        #expect(try site.site.start(["-u", "XCALLBACK_SOCKET"] + words, to: "other").wait() == 7)
        let other = try site.home.text(of: "other")
        #expect(
            other.contains(
                "\nXDG_RUNTIME_DIR is '\(home)/run', of another user, as after 'su': set it to /run/user/12345\n"))
    }
}
