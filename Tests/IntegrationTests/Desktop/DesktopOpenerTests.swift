import Glibc
import TestSupport
import Testing
import XCallback
import XCallbackTesting

/// Desktop applications whose actions a program calls, with the library alone.
@Suite(.timeLimit(.minutes(10)))
struct DesktopOpenerTests {
    private struct Bear: App {
        struct OpenNote: Action {
            struct Input: Codable { var title: String }
            struct Output: Codable { var note: String }
        }

        var opener: any Opener
    }

    private struct Notes: App {
        struct Leave: Action {}
        struct Echo: Action {
            struct Input: Codable { var text: String }
            struct Output: Codable { var text: String }
        }

        var opener: any Opener
    }

    /// The opener of a test, which is the application, too, and answers as its script specifies.
    private static func opener(
        of daemon: RunningDaemon, _ site: DesktopSite, within limit: Duration? = nil, _ script: String
    ) throws -> DesktopOpener {
        let handle = "XCALLBACK_SOCKET='\(daemon.socket)' \(try RunningDaemon.program("xcallback")) handle"
        try site.install(program: "opener", script: "answer() { \(handle) \"$(item \"$1\" \"$2\")$3\"; }\n\(script)")
        return DesktopOpener(
            through: Client(socket: daemon.socket), within: limit, using: site.directory.path(of: "bin/opener"))
    }

    private static let configuration = """
        schemes: [notes]
        routes:
          - { route: notes:/echo, respond: { text: "{text}" } }
          - { route: notes:/leave, redirect: "bear:/show" }
        """

    private static func daemon() throws -> RunningDaemon { try RunningDaemon(configuration) }

    @Test func anApplicationOfTheDesktopGivesItsOutput() async throws {
        let (daemon, site) = (try Self.daemon(), try DesktopSite())
        let opener = try Self.opener(of: daemon, site, "answer \"$1\" x-success '?note=Milk%20%26%20bread'")
        let output = try await Bear(opener: opener).run(Bear.OpenNote(), with: .init(title: "Milk"))
        #expect(output.note == "Milk & bread")
    }

    @Test func theTimeoutOfACallIsThatOfTheDaemon() async throws {
        let (daemon, site) = (try Self.daemon(), try DesktopSite())
        let answer = "sleep 0.5; answer \"$1\" x-success '?note=Milk'"
        let opener = try Self.opener(of: daemon, site, within: .milliseconds(100), answer)
        let input = Bear.OpenNote.Input(title: "Milk")
        let output = try await Bear(opener: opener).run(Bear.OpenNote(), with: input, timeout: .seconds(100_000))
        #expect(output.note == "Milk")
    }

    @Test func itsErrorIsThrown() async throws {
        let (daemon, site) = (try Self.daemon(), try DesktopSite())
        let opener = try Self.opener(of: daemon, site, "answer \"$1\" x-error '?errorCode=7&errorMessage=No%20note'")
        let items: QueryItems = ["errorCode": "7", "errorMessage": "No note"]
        await #expect(throws: CallbackError(.init(rawValue: 7), "No note", items: items)) {
            try await Bear(opener: opener).run(Bear.OpenNote(), with: .init(title: "Milk"))
        }
    }

    @Test func anActionOfTheDaemonOpensNothing() async throws {
        let (daemon, site) = (try Self.daemon(), try DesktopSite())
        let opener = try Self.opener(of: daemon, site, "report \"$1\"")
        expect(try await Notes(opener: opener).run(Notes.Echo(), with: .init(text: "Hi")).text, equals: "Hi")
        #expect(!site.hasMore)
    }

    @Test(.enabled(if: geteuid() == 0, "a daemon that is passed its socket is the system's if root runs it"))
    func theSystemsDaemonHasItsOwnActionsOnly() async throws {
        let place = try DaemonSite(Self.configuration, keepsSocket: true)
        let daemon = try place.start()
        try daemon.waitUntilReady()
        let opener = DesktopOpener(through: Client(socket: place.path), using: "/bin/false")
        expect(try await Notes(opener: opener).run(Notes.Echo(), with: .init(text: "Hi")).text, equals: "Hi")
        await #expect(throws: CallbackError(.unknownAction, "No action has this scheme.")) {
            try await Bear(opener: opener).run(Bear.OpenNote(), with: .init(title: "Milk"))
        }
    }

    @Test func anActionThatLeadsElsewhereOpensThatAndIsAnError() async throws {
        let (daemon, site) = (try Self.daemon(), try DesktopSite())
        let opener = try Self.opener(of: daemon, site, "report \"$1\"")
        let error = await #expect(throws: CallbackError.self) { try await Notes(opener: opener).run(Notes.Leave()) }
        #expect(error?.message == "The action opened another application, which does not answer here.")
        expect(try site.nextReport()) { $0.hasPrefix("bear:/show") }
    }

    @Test func whatCannotBeOpenedIsAnErrorAtOnce() async throws {
        let (daemon, site) = (try Self.daemon(), try DesktopSite())
        let opener = try Self.opener(of: daemon, site, "exit 3")
        let error = await #expect(throws: CallbackError.self) {
            try await Bear(opener: opener).run(Bear.OpenNote(), with: .init(title: "Milk"))
        }
        #expect(error?.code == .unavailable)
        #expect(error?.message.hasPrefix("the URL could not be opened: '") == true)
        #expect(error?.message.contains("/bin/opener' ended with status 3") == true)
    }
}
