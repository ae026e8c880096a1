import Glibc
import TestSupport
import Testing
import XCallbackTesting

/// Problems on a desktop: `xcallback doctor` reports them, and its printed commands fix them.
@Suite(.blocking)
struct DoctorFixTests {
    private static let configuration =
        "schemes: [notes, tasks]\nroutes:\n  - { route: notes:/a, respond: { a: 1 } }\n"
        + "  - { route: tasks:/a, respond: { a: 1 } }\n"

    /// A home with a daemon that serves two schemes.
    private struct Place {
        let daemon: RunningDaemon
        let site: DesktopSite
        let file: String

        init(_ configuration: String = DoctorFixTests.configuration) throws {
            daemon = try RunningDaemon(configuration)
            site = try DesktopSite(socket: daemon.socket)
            file = daemon.directory.path(of: "config.yaml")
        }

        func doctor() throws -> String { try site.run("xcallback", "doctor").output }

        /// Runs the command of a finding, and checks that the finding is gone.
        func fix(_ finding: String, saying text: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
            let lines = try doctor().split(separator: "\n").map(String.init)
            let index = try #require(
                lines.firstIndex { $0.hasPrefix(finding) && $0.contains(text) },
                "\(lines.joined(separator: "\n"))", sourceLocation: sourceLocation)
            let line = lines[index + 1]
            #expect(line.hasPrefix("      run: "), "\(line)", sourceLocation: sourceLocation)
            let command = String(line.dropFirst("      run: ".count))
            let result = try site.run("sh", "-c", command)
            #expect(result.status == 0, "\(command): \(result.output)", sourceLocation: sourceLocation)
            expect(try doctor(), at: sourceLocation) { !$0.contains(text) }
        }
    }

    @Test func aSchemeThatIsRoutedButNotRegistered() throws {
        let place = try Place()
        expect(try place.site.run("xcallback", "register", "notes").status, equals: 0)
        try place.fix("note ", saying: "links with tasks: do not reach your routes: the scheme is not registered")
    }

    @Test func nothingIsRegistered() throws {
        let place = try Place()
        try place.fix("note ", saying: "no schemes are registered for you")
    }

    @Test func theSchemeOfAnswersIsForRedirectsToApplications() throws {
        let allowed = "callbacks: { allow: [app, 'https://example.org'] }\n"
        let pages = allowed + Self.configuration + "  - { route: notes:/page, redirect: 'https://example.org/' }\n"
        expect(try Place(pages).doctor()) { !$0.contains("scheme xcallback") }
        let place = try Place(pages + "  - { route: notes:/other, redirect: 'app://x-callback-url/a' }\n")
        try place.fix("note ", saying: "answers of other applications (xcallback:) do not reach you")
        expect(try place.doctor()) { $0.contains("ok    scheme xcallback: ") }
    }

    @Test func aSchemeThatIsRegisteredButNotRouted() throws {
        let place = try Place()
        expect(try place.site.run("xcallback", "register", "note", "notes", "tasks").status, equals: 0)
        try place.fix(
            "note ", saying: "scheme note is registered, but no route has it; did you mean 'notes'?")
        expect(try place.doctor()) { $0.contains("ok    scheme notes: ") }
    }

    @Test func oneCommandUnregistersAllSchemesWithoutRoutes() throws {
        let place = try Place()
        expect(try place.site.run("xcallback", "register", "notes", "x1", "x2").status, equals: 0)
        try place.fix("note ", saying: "2 schemes are registered, but no route has them: x1, x2")
        expect(try place.doctor()) { $0.contains("ok    scheme notes: ") }
    }

    @Test func aCacheThatLacksTheEntry() throws {
        let place = try Place()
        expect(try place.site.run("xcallback", "register", "notes").status, equals: 0)
        try place.site.directory.write("[MIME Cache]\n", to: ".local/share/applications/mimeinfo.cache")
        try place.fix("FAULT", saying: "scheme notes is registered, but the desktop's tools do not see it")
    }

    @Test func findingsForPrograms() throws {
        let place = try Place()
        let output = try place.site.run("xcallback", "doctor", "--json").output
        #expect(output.hasPrefix("{\"well\":true,\"findings\":[{\"subject\":\""), "\(output)")
        #expect(
            output.contains(
                "\"fix\":\"xcallback register --all --config \(place.file)\",\"root\":false,\"advice\":null}"))
    }

    @Test func aSlipOfASchemeIsReported() throws {
        let place = try Place()
        let slip = try place.site.run("xcallback", "register", "--config", place.file, "note")
        #expect(slip.status == 0)
        #expect(slip.output.contains("xcallback: no route has the scheme 'note'; did you mean 'notes'?\n"))
        let other = try place.site.run("xcallback", "register", "--config", place.file, "unrelated")
        #expect(other.output.contains("xcallback: no route has the scheme 'unrelated'\n"))
    }

    @Test func aSchemeWithoutAPublicRouteIsReported() throws {
        func register(_ place: Place) throws -> String {
            try place.site.run("xcallback", "register", "notes", "--config", place.file).output
        }
        let sentence =
            "xcallback: no route of notes is public, so its links are refused: write 'public: true' in a route"
        let text = try register(Place())
        #expect(text.contains("\(sentence) that links and web pages may open, such as notes:/a\n"), "\(text)")
        let isPublic = Self.configuration.replacing("notes:/a, ", with: "notes:/a, public: true, ")
        expect(try register(Place(isPublic))) { !$0.contains("is public") }
    }
}
