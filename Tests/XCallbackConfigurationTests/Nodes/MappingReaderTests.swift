import Testing
import XCallbackConfiguration

/// What is read from the mappings below.
private struct Limit: Equatable {
    var rate: Rate
    var scope = "route"

    /// Reads `10/s` or `{ limit: 10/s, per: user }`.
    init?(_ node: Node, faults: FaultList) {
        if case .scalar = node.content {
            guard let rate = node.rate(faults) else { return nil }
            self.rate = rate
            return
        }
        guard let keys = MappingReader(node, of: "a rate", faults: faults) else { return nil }
        defer { keys.finish() }
        let rate = keys.requiredNode("limit")?.rate(faults)
        let scope = keys.choice("per", of: ["user", "route"])
        guard let rate else { return nil }
        self.rate = rate
        self.scope = scope ?? self.scope
    }
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
        #expect(faultLines(of: yaml) { _ = Limit($0, faults: $1) } == expected.map { "config.yaml:\($0)" })
    }

    @Test func aStageReadsItsShortAndItsLongForm() {
        let short = value(of: "10/s\n") { Limit($0, faults: $1) }
        #expect(short?.rate == Rate(count: 10, per: .seconds(1)))
        #expect(short?.scope == "route")
        let long = value(of: "{ limit: 5/h, per: user }\n") { Limit($0, faults: $1) }
        #expect(long?.rate == Rate(count: 5, per: .seconds(3_600)))
        #expect(long?.scope == "user")
    }

    @Test func whatIsAbsentIsNoFault() {
        let printed = printedFaults("") { node, faults in
            let keys = MappingReader(node, of: "a test", faults: faults)
            #expect(keys?.string("a") == nil && keys?.node("b") == nil && keys?.mapping("c", of: "a c") == nil)
            #expect(keys?.keyPlace("d") == nil)
            keys?.finish()
        }
        #expect(printed.isEmpty)
    }

    @Test func whereNothingIsKnownNothingIsSuggested() {
        let faults = faultLines(of: "a: 1\n") { MappingReader($0, of: "a test", faults: $1)?.finish() }
        #expect(faults == ["config.yaml:1:1: unknown key 'a' in a test; expected no keys"])
    }
}
