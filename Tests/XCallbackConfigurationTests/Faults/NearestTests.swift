import Testing
import XCallbackConfiguration

struct NearestTests {
    static let words = ["policies", "public", "prefix", "exec", "origin", "user", "uses"]

    static let rows: [(String, String?)] = [
        ("polices", "policies"), ("publci", "public"), ("perfix", "prefix"), ("exce", "exec"), ("orign", "origin"),
        ("Policies", "policies"), ("usr", "user"), ("usex", "user"), ("pubic", "public"), ("exxec", "exec"),
        ("ex", nil), ("plc", nil), ("execute", nil), ("", nil), ("policy", nil), ("middleware", nil),
    ]

    @Test(arguments: rows)
    func onlyACloseWordIsSuggested(word: String, expected: String?) {
        #expect(word.nearest(among: Self.words) == expected)
        #expect(word.suggestion(among: Self.words) == (expected.map { "; did you mean '\($0)'?" } ?? ""))
    }
}
