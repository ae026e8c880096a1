import Testing
import XCallbackConfiguration

struct NearestTests {
    static let words = ["policies", "public", "prefix", "exec", "origin", "user", "uses"]

    static let rows: [(String, String?)] = [
        ("polices", "policies"), ("publci", "public"), ("perfix", "prefix"), ("exce", "exec"), ("orign", "origin"),
        ("Policies", "policies"), ("run", "exec"), ("run_as", nil), ("P-refix", "prefix"), ("usr", "user"),
        ("usex", "user"), ("pubic", "public"), ("exxec", "exec"),
        ("ex", nil), ("plc", nil), ("execute", "exec"), ("", nil), ("policy", "policies"), ("middleware", nil),
    ]

    @Test(arguments: rows)
    func onlyACloseWordIsSuggested(word: String, expected: String?) {
        #expect(word.nearest(among: Self.words, areKeys: true) == expected)
        #expect(word.suggestion(among: Self.words, areKeys: true) == (expected.map { "; did you mean '\($0)'?" } ?? ""))
    }
}
