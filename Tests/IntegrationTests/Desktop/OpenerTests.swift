import Glibc
import TestSupport
import Testing
import XCallback
import XCallbackTesting

/// The programs that open callbacks, and the messages when none works.
///
/// The openers are stand-ins that fail in the same way as real ones.
@Suite(.blocking)
struct OpenerTests {
    private static let configuration = """
        schemes: [notes]
        callbacks: { allow: [done] }
        routes: [{ route: notes:/ok, public: true, respond: }]
        """
    private static let url = "notes:/ok?x-success=done:/ok"

    /// Creates a home with openers, each of which reports its start and exits with a status.
    private static func makeSite(
        of daemon: RunningDaemon, _ openers: [String: Int], session: [String] = ["XDG_CURRENT_DESKTOP=GNOME"]
    ) throws -> DesktopSite {
        let site = try DesktopSite(socket: daemon.socket, session: session)
        for (name, status) in openers {
            try site.install(
                program: name,
                script: "case $1 in mime) exec /usr/bin/gio \"$@\" ;; esac; report \"\(name) $*\"; exit \(status)")
        }
        try site.install(program: "notify-send", script: ":")
        return site
    }

    private let daemon: RunningDaemon

    init() throws { daemon = try RunningDaemon(Self.configuration) }

    @Test func whatOneCannotOpenTheNextOpens() throws {
        let site = try Self.makeSite(of: daemon, ["xdg-open": 4, "gio": 2, "busctl": 0])
        try site.install("done", for: ["done"], script: "")
        let session = ["XDG_ACTIVATION_TOKEN=t 1"]
        expect(try site.run("xcallback", "handle", "--", Self.url, environment: session).status, equals: 0)
        expect(try site.nextReport(), equals: "xdg-open done:/ok")
        expect(try site.nextReport(), equals: "gio open done:/ok")
        expect(
            try site.nextReport(),
            equals: "busctl --user --timeout=5 call org.freedesktop.portal.Desktop "
                + "/org/freedesktop/portal/desktop org.freedesktop.portal.OpenURI OpenURI ssa{sv}  done:/ok "
                + "1 activation_token s t 1")
        #expect(!site.hasMore)
    }

    @Test func whatNobodyOpensIsReportedWithEachReason() throws {
        let site = try Self.makeSite(of: daemon, ["xdg-open": 4, "gio": 2, "busctl": 1])
        try site.install("done", for: ["done"], script: "")
        let result = try site.run("xcallback", "handle", "--", Self.url)
        #expect(result.status == 1)
        #expect(
            result.output.contains(
                "the callback could not be opened: 'xdg-open' ended with status 4; 'gio open' ended with status 2; "
                    + "the desktop's portal ended with status 1\n"), "\(result.output)")
    }

    /// Any other program that still runs may be the application.
    @Test func aPortalThatDoesNotAnswerHasOpenedNothing() throws {
        let site = try Self.makeSite(of: daemon, ["xdg-open": 4, "gio": 2])
        try site.install(program: "busctl", script: "exec sleep 600")
        try site.install("done", for: ["done"], script: "")
        let result = try site.run("xcallback", "handle", "--", Self.url)
        #expect(result.status == 1)
        #expect(result.output.contains("; the desktop's portal does not answer\n"), "\(result.output)")
    }

    @Test func anApplicationThatFailsIsNotStartedTwice() throws {
        let site = try DesktopSite(socket: daemon.socket)
        try site.install(program: "notify-send", script: ":")
        try site.install("done", for: ["done"], script: "report $1; exit 1")
        let result = try site.run("xcallback", "handle", "--", Self.url)
        #expect(result.output.contains("the callback could not be opened: 'xdg-open' ended with status "))
        expect(try site.nextReport(), equals: "done:/ok")
        #expect(!site.hasMore)
    }

    /// An application would inherit the signal settings, and could not be ended, or would not notice the end of its programs.
    @Test func anOpenerIsStartedWithoutBlockedSignals() throws {
        let site = try DesktopSite(socket: daemon.socket)
        let file = site.directory.path(of: "status")
        // A shell would let the signals through by itself.
        let program = "open(\"\(file)\", \"w\").write(open(\"/proc/self/status\").read())"
        let link = site.directory.path(of: "bin/python-opener")
        try site.directory.write("#!/usr/bin/python3\n\(program)\n", to: "bin/python-opener")
        chmod(link, 0o755)
        let url = Self.url
        expect(try site.run("xcallback", "handle", "--opener", link, "--", url).status, equals: 0)
        let mask = try site.directory.text(of: "status").split(separator: "\n").first { $0.hasPrefix("SigBlk:") }
        #expect(mask?.hasSuffix("\t0000000000000000") == true, "\(mask ?? "")")
    }

    @Test func noOpenerIsAskedForWhatNobodyOpens() throws {
        let site = try Self.makeSite(of: daemon, ["xdg-open": 0], session: ["DISPLAY=:99"])
        let result = try site.run("xcallback", "handle", "--", Self.url)
        #expect(result.status == 1)
        let reason = "the callback could not be opened: no application has the scheme"
        #expect(result.output.contains(reason), "\(result.output)")
        #expect(!site.hasMore)
        try site.install("done", for: ["done"], script: "")
        expect(try site.run("xcallback", "handle", "--", Self.url).status, equals: 0)
        // The opener that the user names.
        try site.directory.write("", to: ".local/share/applications/done.desktop")
        expect(try site.run("xcallback", "handle", "--opener", "true", "--", Self.url).status, equals: 0)
    }

    @Test func whatXdgOpenNeedsOnKDEIsThere() throws {
        let site = try Self.makeSite(of: daemon, ["kde-open5": 0], session: ["XDG_CURRENT_DESKTOP=KDE", "DISPLAY=:99"])
        try site.install("done", for: ["done"], script: "")
        expect(try site.run("xcallback", "handle", "--", Self.url).status, equals: 0)
        expect(try site.nextReport(), equals: "kde-open5 done:/ok")
    }
}
