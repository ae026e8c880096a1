import Glibc
import Testing
import XCallbackTesting

/// The public routes for links open exactly what they matched, however a link is spelled.
@Suite(.blocking, .timeLimit(.minutes(10)))
struct LinkSpellingTests {
    /// An opened link, and the program that opens it.
    private struct Opening: Hashable {
        let browser: String
        let url: String
    }

    private static let actions = [
        "github.com/acme", "github.com/acme/app", "github.com/swiftlang/swift", "meet.example.org/abc",
        "talk.example.com",
        "talk.example.com/a/b", "example.org", "example.org/a/b",
    ]

    /// Returns the distinct links of a seed.
    private static func links(_ count: Int, seed: UInt64) -> [SpelledLink] {
        var random = SeededGenerator(seed: seed)
        return (0..<count).map { _ in SpelledLink(&random, of: actions, scheme: "link") }
    }

    /// Returns the routes of the link chooser with answers in place of browsers: the arguments of each browser.
    private static func rehearsal() throws -> String {
        var text = try textOfPackageFile("config/examples/links.yaml").replacing("policies: [{ rate: 30/m }]", with: "")
        for browser in ["firefox -P work", "chromium --new-window", "firefox"] {
            let url = #""https:/$XCALLBACK_ACTION${{XCALLBACK_QUERY:+?$XCALLBACK_QUERY}}""#
            let handler = "exec: [sh, -c, 'exec \(browser) \(url)']\n    detach: true"
            try #require(text.contains(handler))
            text = text.replacing(
                handler, with: #"respond: { with: "\#(browser)", action: "{@action}", query: "{@query}" }"#)
        }
        return text
    }

    /// Returns the opening that an answer describes; nil for an error.
    private static func opening(_ answer: String) throws -> Opening? {
        guard let items = answer.split(separator: "?", maxSplits: 1).last, answer.contains("with=") else { return nil }
        let values = try items.split(separator: "&").map { item in
            let value = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)[1]
            return String(decoding: try #require(Array(value.utf8).decodedOnce), as: UTF8.self)
        }
        try #require(values.count == 3)
        return Opening(browser: values[0], url: "https:/\(values[1])" + (values[2].isEmpty ? "" : "?\(values[2])"))
    }

    @Test func tenThousandSpellingsOpenWhatWasMatched() throws {
        let daemon = try RunningDaemon(Self.rehearsal())
        var opened: [(Opening, host: [UInt8])] = []
        let client = try daemon.connect()
        for link in Self.links(10_000, seed: 1) {
            try client.send(link.line + [UInt8(ascii: "\n")])
            let answer = try #require(try client.readLine())
            guard let opening = try Self.opening(answer) else { continue }
            let text = String(decoding: link.line, as: UTF8.self)
            let meaning = try #require(link.meaning, "\(text)")
            let found = try #require(StrictURL(opening.url), "\(text) opens \(opening.url)")
            let isMatched = found.segments == Array(meaning.segments.dropFirst()) && meaning.isHost(found.host)
            #expect(isMatched, "\(text) opens \(opening.url)")
            opened.append((opening, found.host))
            #expect(found.items == meaning.items, "\(text) opens \(opening.url)")
            #expect(Self.isMeant(for: opening.browser, found), "\(text) opens \(opening.url) in \(opening.browser)")
        }
        #expect(opened.count > 3_000)
        #expect(Set(opened.map(\.0.browser)).count == 3)
        try Self.checkWithPython(opened.map { ($0.url, $1) })
    }

    /// The rules of the example, implemented independently.
    private static func isMeant(for browser: String, _ url: StrictURL) -> Bool {
        let host = String(decoding: url.host, as: UTF8.self)
        let isOfWork = host == "github.com" && url.segments.first == Array("acme".utf8)
        let isMeeting = host == "meet.example.org" || host.hasSuffix(".example.com") && host != ".example.com"
        return browser == (isOfWork ? "firefox -P work" : isMeeting ? "chromium --new-window" : "firefox")
    }

    /// Parses the URLs with another parser, and compares each with the expected host.
    private static func checkWithPython(_ urls: [(url: String, host: [UInt8])]) throws {
        let directory = try TemporaryDirectory()
        let lines = urls.map { "\($0.host.map { String($0) }.joined(separator: ",")) \($0.url)\n" }
        let script = """
            import sys, urllib.parse
            for line in sys.stdin:
                host, url = line.rstrip("\\n").split(" ", 1)
                parts = urllib.parse.urlsplit(url)
                found = urllib.parse.unquote_to_bytes(parts.netloc)
                if (parts.scheme != "https" or found != bytes(map(int, host.split(","))) or parts.fragment
                        or parts.username is not None or parts.port is not None):
                    print(line)
            """
        let process = try ChildProcess(
            ["/usr/bin/python3", "-c", script], environment: ["LANG=C.UTF-8"],
            input: try directory.write(lines.joined(), to: "urls"), output: directory.path(of: "output"),
            error: directory.path(of: "error"))
        #expect(try process.wait() == 0)
        #expect(try directory.text(of: "output") + directory.text(of: "error") == "")
    }

    @Test func browsersAreStartedWithThat() throws {
        let browser = #"printf '%s\n' "${0##*/} $*" >>"$HOME/opened""#
        let site = try ExampleSite(
            "links.yaml", changes: [("policies: [{ rate: 30/m }]", "")],
            standIns: ["firefox": browser, "chromium": browser])
        close(creat(site.path(of: "opened"), 0o600))
        let rehearsal = try RunningDaemon(Self.rehearsal())
        let (client, other) = try (site.daemon.connect(), rehearsal.connect())
        var expected: Set<String> = []
        for link in Self.links(1_000, seed: 2) where link.line.count < 1_000 {
            try client.send(link.line + [UInt8(ascii: "\n")])
            try other.send(link.line + [UInt8(ascii: "\n")])
            let answer = try #require(try client.readLine())
            let told = try #require(try other.readLine())
            guard let opening = try Self.opening(told) else {
                #expect(answer == told)
                continue
            }
            expected.insert("\(opening.browser) \(opening.url)")
            // This limits how many run at a time.
            if expected.count % 20 == 0 { try Self.wait(for: expected, in: site) }
        }
        try Self.wait(for: expected, in: site)
        #expect(expected.count > 200)
    }

    private static func wait(for expected: Set<String>, in site: ExampleSite) throws {
        var found: Set<String> = []
        try site.wait {
            found = Set(try site.text(of: "opened").split(separator: "\n").map(String.init))
            return found.count >= expected.count
        }
        #expect(found == expected)
    }

    /// `config.yaml` leads links to two web sites, whatever the links contain.
    @Test func aRedirectLeadsToTheSiteThatIsMeant() throws {
        let daemon = try RunningDaemon(
            textOfPackageFile("config/config.yaml").replacing("policies: [{ user: self }]", with: ""))
        let client = try daemon.connect()
        var random = SeededGenerator(seed: 3)
        var redirected = 0
        for _ in 0..<2_000 {
            let link = SpelledLink(&random, of: ["wiki/Swift", "map?place=Paris", "wiki/a"], scheme: "go")
            try client.send(link.line + [UInt8(ascii: "\n")])
            let answer = try #require(try client.readLine())
            guard answer.hasPrefix("https:") else { continue }
            redirected += 1
            let text = String(decoding: link.line, as: UTF8.self)
            let meaning = try #require(link.meaning, "\(text)")
            let found = try #require(StrictURL(answer), "\(text) leads to \(answer)")
            let host = String(decoding: found.host, as: UTF8.self)
            if host == "en.wikipedia.org" {
                #expect(found.segments == meaning.segments && found.segments.count == 2, "\(text) leads to \(answer)")
            } else {
                #expect(host == "www.openstreetmap.org" && found.segments == [Array("search".utf8)], "\(answer)")
            }
        }
        #expect(redirected > 200)
    }
}

/// A web address that every parser splits in the same way, without any oddities.
private struct StrictURL {
    let host: [UInt8]
    let segments: [[UInt8]]
    /// The items of the query: names and values.
    let items: [[[UInt8]]]

    init?(_ text: String) {
        let start = Array("https://".utf8)
        let bytes = Array(text.utf8)
        guard bytes.starts(with: start) else { return nil }
        let rest = bytes[start.count...]
        let mark = rest.firstIndex(of: UInt8(ascii: "?"))
        let parts = rest[..<(mark ?? rest.endIndex)].split(
            separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        let query = mark.map { rest[($0 + 1)...] } ?? []
        let plain = "-._~%".utf8 + Array(UInt8(ascii: "0")...UInt8(ascii: "9"))
        let letters = Array(UInt8(ascii: "a")...UInt8(ascii: "z")) + Array(UInt8(ascii: "A")...UInt8(ascii: "Z"))
        let allowed = Set(plain + letters)
        let decoded = parts.compactMap { Array($0).decodedOnce }
        guard decoded.count == parts.count, !decoded.contains([]),
            parts.allSatisfy({ $0.allSatisfy { allowed.contains($0) } }),
            query.allSatisfy({ allowed.union("!$&'()*+,;=:@/?".utf8).contains($0) }),
            !decoded.dropFirst().contains(where: { $0.elementsEqual(".".utf8) || $0.elementsEqual("..".utf8) })
        else { return nil }
        host = decoded[0]
        segments = Array(decoded.dropFirst())
        items = query.split(separator: UInt8(ascii: "&")).map { item in
            item.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
                .map { Array($0).decodedOnce ?? [] }
        }
    }
}

extension SpelledLink.Meaning {
    /// Whether a host is the first segment, which matches the text of a route without case where it is a host.
    fileprivate func isHost(_ host: [UInt8]) -> Bool {
        let first = segments[0]
        return host == first
            || host == Array("github.com".utf8) && String(decoding: first, as: UTF8.self).lowercased() == "github.com"
    }
}
