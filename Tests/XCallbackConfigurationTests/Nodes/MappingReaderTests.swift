import Testing
import XCallbackConfiguration

/// Reads `{ limit: 10/s, per: user }`.
private func readLimit(_ node: Node, _ faults: FaultList) {
    guard let keys = MappingReader(node, of: "a rate", faults: faults) else { return }
    _ = keys.requiredNode("limit")?.rate(faults)
    _ = keys.choice("per", of: ["user", "route"])
    keys.finish()
}

struct MappingReaderTests {
    static let faults: [(String, [String])] = [
        (
            "{ limti: 10/s }\n",
            ["1:1: expected the key 'limit' in a rate", "1:3: unknown key 'limti' in a rate; did you mean 'limit'?"]
        ),
        ("limit: 10/s\nburst: 3\n", ["2:1: unknown key 'burst' in a rate; expected limit or per"]),
        ("- 10/s\n", ["1:1: expected a mapping for a rate, found a list"]),
        (
            "x y: 1\nper: usr\nlimit: 10\n",
            [
                "1:1: unknown key 'x y' in a rate; expected limit or per",
                "2:6: expected user or route, found 'usr'; did you mean 'user'?",
                "3:8: expected a rate such as 10/s, 100/m or 5/h, found '10'; did you mean '10/s'?",
            ]
        ),
    ]

    @Test(arguments: faults)
    func allFaultsOfAMappingComeAtOnce(yaml: String, expected: [String]) {
        #expect(faultLines(of: yaml, decode: readLimit) == expected.map { "config.yaml:\($0)" })
    }

    @Test func whereNothingIsKnownNothingIsSuggested() {
        let faults = faultLines(of: "a: 1\n") { MappingReader($0, of: "a test", faults: $1)?.finish() }
        #expect(faults == ["config.yaml:1:1: unknown key 'a' in a test; expected no keys"])
    }
}
