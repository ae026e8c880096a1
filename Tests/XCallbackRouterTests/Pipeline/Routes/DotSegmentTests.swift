import Glibc
import Testing
import XCallbackRouter
import XCallbackTesting
import XCallbackURL
import XCallbackWire

/// Generated links of the web with dots in their paths, which Node's parser reads like this one.
///
/// `COUNT` is the number of links.
@Suite(.enabled(if: node != nil, "nodejs is not installed"), .timeLimit(.minutes(10)))
struct DotSegmentTests {
    private static let count = getenv("COUNT").flatMap { Int(String(cString: $0)) } ?? 3_000
    private static let program = """
        const lines = require('fs').readFileSync(0, 'utf8').split('\\n').slice(0, -1)
        const read = line => { const u = new URL(line); return `${u.hostname}\\t${u.pathname}\\t${u.href}\\n` }
        process.stdout.write(lines.map(read).join(''))
        """

    @Test func aPathIsThatOfBrowsers() throws {
        var random = SeededGenerator(seed: 46)
        let links = (0..<Self.count).map { _ in random.link() }
        let pipeline = try Conversation(
            [
                Route("https://github.com/acme{/*path}", as: .url), Route("https://github.com/acme/:name", as: .url),
                Route("https://github.com/:owner", as: .url), Route("https://:host{/*path}", as: .url),
            ], schemes: [SchemeSettings("https", syntax: .url)]
        ).pipeline
        let rows = try readings(of: links)
        try #require(rows.count == links.count)
        var names: Set<String> = []
        for (link, row) in zip(links, rows) {
            var (url, normal) = (ActionURL(), ActionURL())
            try url.parse(link.utf8.span, as: .url)
            try #require(url.host == row[0], "\(link)")
            try #require(Array(url.segments.dropFirst()) == Self.segments(of: row[1]), "\(link)")
            try normal.parse(row[2].utf8.span, as: .url)
            let route = pipeline.route(answering: url)
            #expect(route === pipeline.route(answering: normal), "\(link)")
            // Browsers encode some characters that remain here.
            if row[1].utf8.allSatisfy({ $0 != UInt8(ascii: "%") }) {
                #expect(url.canonicalAction == normal.canonicalAction, "\(link)")
            }
            #expect(url.received == link)
            names.insert(route?.name ?? "")
        }
        #expect(names.count == 4)
    }

    private static func segments(of path: String) -> [String] {
        if path == "/" { return [] }
        return path.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map { segment in
            percentDecoded(Array(segment.utf8).span).map { String(utf8: $0.span) } ?? String(segment)
        }
    }

    /// Returns the host, the path and the whole of each link as Node reads it.
    private func readings(of links: [String]) throws -> [[String]] {
        let directory = try TemporaryDirectory()
        let input = try directory.write(links.map { $0 + "\n" }.joined(), to: "links")
        let (status, output) = try ChildProcess.run(
            [try #require(node), "-e", Self.program], input: input, within: .seconds(300))
        #expect(status == 0, "\(output)")
        return output.split(separator: "\n").map {
            $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        }
    }
}

private let node = ["/usr/bin/node", "/usr/local/bin/node"].first { (path: String) in access(path, X_OK) == 0 }

extension SeededGenerator {
    private mutating func one(of texts: [String]) -> String { texts[below(texts.count)] }

    /// Returns a link whose path has dots in many forms.
    fileprivate mutating func link() -> String {
        // Not a segment such as `.a`: after one, Node 20 leaves dots in the path, unlike browsers.
        let segments = [
            ".", "..", "%2e", "%2E", ".%2e", "%2E.", "%2e%2E", "..", ".", "...", "%2e%2e%2e", "", "", "acme", "acme",
            "evil", "a.", "a..b", "..;", "%252e", "%2f", "%zz", "%C3%BC", "a|b", "%2e%", "%ff",
        ]
        let path = (0..<below(7)).map { _ in "/" + one(of: segments) }.joined()
        let rest = one(of: ["", "", "?", "?a=/../b", "#/../c", "?..#."])
        return one(of: ["https", "HTTPS"]) + "://" + one(of: ["", "", "ann@"])
            + one(of: ["github.com", "GitHub.com", "a.b"])
            + one(of: ["", "", ":8443"]) + path + rest
    }
}
