import Glibc
import Testing
import XCallbackTesting
import XCallbackURL
import XCallbackWire

/// Generated URLs, whose hosts and ports Python's parser and those of browsers read like this one.
///
/// `COUNT` is the number of URLs.
@Suite(.timeLimit(.minutes(10)))
struct ParserAgreementTests {
    private static let count = getenv("COUNT").flatMap { Int(String(cString: $0)) } ?? 20_000

    /// How a parser reads a URL.
    private struct Reading {
        let parser: String
        /// The host; nil if the parser rejects the URL.
        let host: String?
        let port: String
    }

    @Test func otherParsersReadTheSameHostAndPort() throws {
        var random = SeededGenerator(seed: 3986)
        let urls = (0..<Self.count).map { _ in random.url() }
        let rows = try readings(of: urls)
        try #require(rows.count == urls.count)
        var acceptedCount = 0
        for (text, row) in zip(urls, rows) {
            var url = ActionURL()
            guard (try? url.parse(text.utf8.span, as: .url)) != nil else { continue }
            acceptedCount += 1
            let defaultPort = ["https": "443", "http": "80"][url.scheme, default: ""]
            for reading in row {
                guard let host = reading.host else { continue }
                // Browsers write a host beyond ASCII in Punycode.
                let isPlain = url.host?.utf8.allSatisfy { $0 < 0x80 } ?? true
                let read = isPlain ? String(utf8: comparableHost(host.utf8.span).span) : url.host
                #expect(url.host ?? "" == read ?? "", "\(reading): \(text)")
                // Browsers leave out the usual port.
                let port = reading.port.isEmpty && url.port == defaultPort ? defaultPort : reading.port
                #expect(url.port ?? "" == port, "\(reading): \(text)")
            }
        }
        #expect(acceptedCount > Self.count / 10)
        #expect(acceptedCount < Self.count)
    }

    /// Runs the other parsers.
    private func readings(of urls: [String]) throws -> [[Reading]] {
        let directory = try TemporaryDirectory()
        let input = try directory.write(urls.map { $0 + "\n" }.joined(), to: "urls")
        let python = access(PythonPackages.python, X_OK) == 0 ? [PythonPackages.python] : ["/usr/bin/env", "python3"]
        let (status, output) = try ChildProcess.run(
            python + ["\(packageFolder)/Tests/Links/parse.py"], environment: ["PATH=/usr/local/bin:/usr/bin:/bin"],
            input: input, within: .seconds(300))
        #expect(status == 0, "\(output)")
        return output.split(separator: "\n").map { line in
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            return stride(from: 0, to: fields.count - 2, by: 3).map { index in
                Reading(
                    parser: fields[index], host: fields[index + 1] == "!" ? nil : fields[index + 1],
                    port: fields[index + 2])
            }
        }
    }
}

extension SeededGenerator {
    private mutating func one(of texts: [String]) -> String { texts[below(texts.count)] }

    /// Returns a URL, often with a fault.
    fileprivate mutating func url() -> String {
        let scheme = one(of: ["https", "http", "ssh", "x", "HTTPS"])
        let slashes = one(of: ["//", "//", "//", "//", "//", "/", "", "///", "////"])
        let user = one(of: ["", "", "", "ann@", "ann:pw@", "@", ":@", "a%40b@", "a@b@", "ü@", "[a@"])
        let host = one(of: [
            "example.org", "Example.ORG.", "localhost", "a", "a-b_c", "1.2.3.4", "127.1", "0x7f.1", "1.2.3.04",
            "2130706433",
            "1.2.3.256", "a.1", "1.a", "0x", "1..2", "a..b", "..", ".", "a.b.", "[::1]", "[2001:DB8::0:7]",
            "[::ffff:1.2.3.4]",
            "[1:2:3:4:5:6:7:8]", "[1:2:3:4:5:6:7::]", "[::g]", "[1::2::3]", "[::1", "[::1]a", "[v1.a]",
            "[fe80::1%25eth0]", "a%2eb",
            "a%", "%41", "a!b", "a$b", "a'b", "a(b)", "a*b", "a,b", "a;b", "a=b", "a~b", "a\"b", "a{b}", "a`b", "a|b",
            "a^b", "a<b>",
            "a\\b", "xn--a", "xn--bcher-kva.example", "-", "-a-", "_", "0", "00", "4294967296", "1e3", "0b1", "0o7",
        ])
        let port = one(of: [
            "", "", "", ":", ":22", ":0022", ":0", ":00", ":65535", ":65536", ":443", ":80", ":x", ":-1", ":1:2", ":+1",
            ":٢",
        ])
        let path = one(of: [
            "", "", "/", "/a", "//a", "/a//b/", "/../b", "/%zz", "/ü|{}", "/a@b:1", "/\\c", "\\d", "/[", "/a\tb",
        ])
        let rest = one(of: ["", "", "?", "?a=b", "?@evil:1/", "?a\\b", "#", "#@evil:1/", "#//b", "?%#%"])
        var bytes = Array("\(scheme):\(slashes)\(user)\(host)\(port)\(path)\(rest)".unicodeScalars)
        if below(4) == 0 {
            let index = below(bytes.count)
            let scalars = Array("/\\@:[]?#%.0aA-\t|<^\u{7f}".unicodeScalars)
            if below(2) == 0 { bytes.remove(at: index) } else { bytes.insert(scalars[below(scalars.count)], at: index) }
        }
        return String(String.UnicodeScalarView(bytes))
    }
}
