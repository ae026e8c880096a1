import Glibc
import TestSupport
import Testing
import XCallbackTesting

/// A newcomer's commands when something does not work: one command names the cause, and one fixes it.
@Suite(.blocking)
struct DiagnosisTests {
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

    /// With stacks for threads that do not fit, as with `TasksMax=2` in a unit.
    @Test(arguments: ["status", "open notes:/a", "reload --quiet", "monitor", "doctor", "mcp"])
    func aCommandWithoutThreadsEnds(command: String) throws {
        let daemon = try RunningDaemon(ManagedSite.configuration)
        let site = try DesktopSite(socket: daemon.socket)
        let limits = "ulimit -s 16777216; ulimit -v 8388608"
        let result = try site.run("sh", "-c", "\(limits); exec xcallback \(command) </dev/null")
        let text = "xcallback: nothing was done: the system allows no more threads: raise TasksMax= of the unit"
        #expect(result.status == 71 && result.output.hasPrefix(text), "\(result.output)")
    }

    @Test(.enabled(if: geteuid() == 0, "only root is root"))
    func rootAndTheDaemonOfAUser() throws {
        let site = try SetupSite()
        let home = site.home.path
        let job = ["-u", "XDG_RUNTIME_DIR", "-u", "XCALLBACK_SOCKET", "xcallback", "open", "notes:/a"]
        let root = try site.site.start(job, to: "cron")
        expect(try root.wait(), equals: 7)
        let help =
            "root has no daemon of a user: for that, 'runuser -u USER -- env XDG_RUNTIME_DIR=/run/user/UID xcallback …'"
        expect(try site.home.text(of: "cron")) { $0.contains("\n\(help)\n") }
        // After 'su' without '-', which keeps the variable.
        try site.home.write(ManagedSite.configuration, to: ".config/xcallbackd/config.yaml")
        try site.giveAway()
        try site.startDaemon()
        let kept = try site.site.start(["-u", "XCALLBACK_SOCKET", "xcallback", "open", "notes:/a"], to: "su")
        #expect(try kept.wait() != 0)
        let text = try site.home.text(of: "su")
        #expect(text.contains("'runuser -u nobody -- env XDG_RUNTIME_DIR=/run/user/65534 xcallback …'"), "\(text)")
        chmod(home, 0o755)
        let words = ["setpriv", "--reuid=12345", "--regid=12345", "--clear-groups", "xcallback", "open", "notes:/a"]
        expect(try site.site.start(["-u", "XCALLBACK_SOCKET"] + words, to: "other").wait(), equals: 7)
        let other = try site.home.text(of: "other")
        #expect(
            other.contains(
                "\nXDG_RUNTIME_DIR is '\(home)/run', of another user, as after 'su': set it to /run/user/12345\n"))
    }
}
