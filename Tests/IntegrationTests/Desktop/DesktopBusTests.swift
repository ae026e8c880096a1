import Glibc
import Testing
import XCallback
import XCallbackTesting

/// The daemon on the message bus of a session, for whoever calls it there; no entry of the desktop leads to it.
@Suite(.blocking, .timeLimit(.minutes(10)))
struct DesktopBusTests {
    private static let configuration = """
        schemes: [notes]
        callbacks: { allow: [done] }
        routes:
          - { route: notes:/echo, public: true, respond: { text: "{text}" } }
          - { route: notes:/gate, public: true, exec: [cat, GATE] }
          - { route: notes:/private, respond: { secret: 1 } }
        """

    /// What a test has at hand in the session: calls of the daemon, and the number of its process.
    private static let tools = """
        ask() {
          method=$1; shift
          gdbus call --session --dest org.xcallback.Router --object-path /org/xcallback/Router \
            --method "org.freedesktop.Application.$method" "$@"
        }
        daemon() {
          gdbus call --session --dest org.freedesktop.DBus --object-path / \
            --method org.freedesktop.DBus.GetConnectionUnixProcessID org.xcallback.Router |
            sed 's/.*uint32 \\([0-9]*\\).*/\\1/'
        }
        stop() {
          process=$(daemon)
          case $(readlink "/proc/$process/exe") in
            */xcallbackd) kill "$process" ;;
            *) echo "the daemon is not on the bus" ;;
          esac
        }
        """

    /// Runs a shell in a session of its own, whose bus can start the daemon, and stops the daemon at the end.
    private static func run(_ script: String, in site: DesktopSite) throws -> DesktopSite.Result {
        let home = site.directory.path
        _ = try TestFailure.check("mkfifo", mkfifo("\(home)/gate", 0o600))
        let parts = configuration.split(separator: "GATE", omittingEmptySubsequences: false)
        try site.directory.write(parts.joined(separator: "\(home)/gate"), to: "config.yaml")
        try site.directory.write(
            """
            [D-BUS Service]
            Name=org.xcallback.Router
            Exec=\(RunningDaemon.program("xcallbackd")) --config \(home)/config.yaml --socket \(home)/socket

            """, to: ".local/share/dbus-1/services/org.xcallback.Router.service")
        try site.directory.write(
            "\(tools)\n\(script)\n[ \"$process\" ] || stop; tail --pid=\"$process\" -f /dev/null\n", to: "session.sh")
        return try site.run(
            "dbus-run-session", "--", "sh", "\(home)/session.sh", environment: ["XCALLBACK_OPENER=opener"])
    }

    /// What the tools have printed, among the lines of the daemon's log.
    private static func replies(in result: DesktopSite.Result) -> [Substring] {
        result.output.split(separator: "\n").filter { ["()", "same"].contains($0) }
    }

    @Test func theFirstURLStartsTheDaemonAndTheNextStartsNothing() throws {
        let site = try DesktopSite(session: [])
        try site.install(program: "opener", script: "tell \"$1 $XDG_ACTIVATION_TOKEN\"")
        let result = try Self.run(
            """
            ask Open "['notes:/echo?text=a%20b&x-success=done:/ok']" "{'activation-token': <'t1'>, 'n': <uint32 7>}"
            first=$(daemon)
            ask Open "['notes:/echo?text=c&x-success=done:/ok']" "{}"
            ask Open "[]" "{'desktop-startup-id': <7>}"
            ask Activate "{}"
            if [ "$first" = "$(daemon)" ]; then echo same; fi
            ask Nothing "{}"
            """, in: site)
        #expect(Self.replies(in: result) == ["()", "()", "()", "()", "same"], "\(result.output)")
        #expect(result.output.contains("UnknownMethod"))
        // Nobody waits for an opener: they run at the same time.
        #expect([try site.hear(), try site.hear()].sorted() == ["done:/ok?text=a%20b t1", "done:/ok?text=c "])
        #expect(!site.hasMore)
    }

    @Test func theDesktopStartsTheCommandEvenWhereTheBusCouldStartTheDaemon() throws {
        let site = try DesktopSite(session: [])
        try site.install(program: "spy", script: "tell \"$*\"")
        _ = try Self.run(
            """
            entry=\(site.directory.path)/\(site.entry)
            xcallback register notes
            grep DBusActivatable "$entry"
            sed -i 's|^Exec=.*|Exec=\(site.directory.path)/bin/spy %u|' "$entry"
            gio open 'notes:/echo?text=a&x-success=done:/ok'
            ask Activate "{}"
            """, in: site)
        #expect(!(try site.directory.text(of: site.entry).contains("DBusActivatable")))
        #expect(try site.hear() == "notes:/echo?text=a&x-success=done:/ok")
        #expect(!site.hasMore)
    }

    @Test func aURLOfTheBusReachesNoPrivateRoute() throws {
        let site = try DesktopSite(session: [])
        try site.install(program: "opener", script: "tell \"$1\"")
        try site.install(program: "notify-send", script: "tell \"$*\"")
        let result = try Self.run(
            """
            ask Open "['notes:/private?x-error=done:/e']" "{}"
            ask Open "['notes:/private']" "{}"
            """, in: site)
        #expect(Self.replies(in: result) == ["()", "()"], "\(result.output)")
        let heard = [try site.hear(), try site.hear()].sorted()
        #expect(heard[0].hasPrefix("--app-name=xcallback -- notes: error 403 This action is private"))
        #expect(heard[1].hasPrefix("done:/e?errorCode=403&"))
    }

    @Test func aURLThatWaitsIsAnsweredBeforeTheDaemonEnds() throws {
        let site = try DesktopSite(session: [])
        try site.install(program: "opener", script: "tell \"$1\"")
        _ = try Self.run(
            """
            ask Open "['notes:/gate?x-success=done:/late']" "{}"
            stop
            printf open >\(site.directory.path)/gate
            """, in: site)
        #expect(try site.hear() == "done:/late?result=open")
    }

    @Test func aSecondDaemonGoesOnWithoutTheBus() throws {
        let site = try DesktopSite(session: [])
        try site.install(program: "opener", script: "tell \"$1\"")
        let program = try RunningDaemon.program("xcallbackd")
        let result = try Self.run(
            """
            ask Activate "{}"
            cd \(site.directory.path)
            \(program) --config config.yaml --socket other & other=$!
            until xcallback open --socket other notes:/echo?text=a; do :; done
            kill $other; wait $other
            """, in: site)
        #expect(result.output.contains("text=a\n"))
        #expect(result.output.contains("the session's bus is not used any more"), "\(result.output)")
    }
}
