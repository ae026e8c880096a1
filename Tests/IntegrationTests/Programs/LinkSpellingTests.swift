import Testing
import XCallbackTesting

/// The public routes for links lead exactly to what they matched, however a link is spelled.
@Suite(.blocking, .timeLimit(.minutes(10)))
struct LinkSpellingTests {
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
    }
}
