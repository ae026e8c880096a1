import Glibc
import Testing
import XCallback
import XCallbackTesting

/// Requests from the desktop over the message bus of a session, with the real bus.
@Suite(.blocking, .timeLimit(.minutes(10)))
struct DesktopBusTests {
    private static let configuration = """
        schemes: [notes]
        callbacks: { allow: [done] }
        routes:
          - { route: notes:/echo, public: true, respond: { text: "{text}" } }
          - { route: notes:/private, respond: { secret: 1 } }
        """

    /// Functions for a test in the session: calls on the bus, and the process that receives them.
    private static let tools = """
        ask() {
          method=$1; shift
          gdbus call --session --dest org.xcallback.Router --object-path /org/xcallback/Router \
            --method "org.freedesktop.Application.$method" "$@"
        }
        taker() {
          gdbus call --session --dest org.freedesktop.DBus --object-path / \
            --method org.freedesktop.DBus.GetConnectionUnixProcessID org.xcallback.Router |
            sed 's/.*uint32 \\([0-9]*\\).*/\\1/'
        }
        """

    /// Creates a home with a session whose bus starts the service for URLs.
    private static func makeSite(of socket: String) throws -> DesktopSite {
        let site = try DesktopSite(socket: socket, session: ["XCALLBACK_OPENER=opener"])
        try site.directory.write(
            try textOfPackageFile("config/org.xcallback.Router.service").replacing(
                "/usr/bin/xcallbackd", with: RunningDaemon.program("xcallbackd")),
            to: ".local/share/dbus-1/services/org.xcallback.Router.service")
        try site.install(program: "opener", script: "tell \"$1 $XDG_ACTIVATION_TOKEN $DESKTOP_STARTUP_ID\"")
        try site.install(program: "notify-send", script: "tell \"$*\"")
        return site
    }

    /// Runs a shell in a separate session.
    private static func run(_ script: String, in site: DesktopSite) throws -> DesktopSite.Result {
        try site.directory.write("\(tools)\n\(script)\n", to: "session.sh")
        return try site.run("dbus-run-session", "--", "sh", "\(site.directory.path)/session.sh")
    }

    @Test func eachURLIsHandledByTheCommand() throws {
        let daemon = try RunningDaemon(Self.configuration)
        let site = try Self.makeSite(of: daemon.socket)
        let result = try Self.run(
            """
            ask Open "['notes:/echo?text=a%20b&x-success=done:/ok']" "{'activation-token': <'t1'>, 'n': <uint32 7>}"
            first=$(taker)
            ask Open "['notes:/echo?text=c&x-success=done:/ok', 'notes:/private?x-error=done:/e']" "{}"
            ask Open "['notes:/private']" "{}"
            ask Open "[]" "{'desktop-startup-id': <7>}"
            ask Activate "{}"
            if [ "$first" = "$(taker)" ]; then echo same; fi
            ask Nothing "{}"
            kill "$first"
            tail --pid="$first" -f /dev/null
            """, in: site)
        let replies = result.output.split(separator: "\n").filter { ["()", "same"].contains($0) }
        #expect(replies == ["()", "()", "()", "()", "()", "same"], "\(result.output)")
        #expect(result.output.contains("UnknownMethod"))
        // The calls do not wait for each other and run concurrently.
        let heard = try (1...4).map { _ in try site.hear() }.sorted()
        #expect(heard[0].hasPrefix("--app-name=xcallback -- notes: error 403 This action is private"))
        #expect(heard[1].hasPrefix("done:/e?errorCode=403&"))
        #expect(heard[2...] == ["done:/ok?text=a%20b t1 t1", "done:/ok?text=c  "])
        #expect(!site.hasMore)
        #expect(try daemon.stop() == 0)
    }

    @Test func aDaemonThatIsNotThereIsTold() throws {
        let site = try Self.makeSite(of: "/nonexistent/socket")
        _ = try Self.run("ask Open \"['notes:/echo']\" '{}'", in: site)
        #expect(try site.hear().contains("notes: the URL was not handled cannot reach the daemon"))
    }

    @Test func aSecondOneEndsAtOnce() throws {
        let site = try Self.makeSite(of: "/nonexistent/socket")
        let result = try Self.run("ask Activate '{}'; xcallbackd --desktop; echo \"status $?\"", in: site)
        #expect(result.output.contains("cannot use the session bus"), "\(result.output)")
        #expect(result.output.contains("status 69\n"))
    }
}
