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
    static let faults: [(String, String)] = [
        (
            "{ limti: 10/s }\n",
            """
            config.yaml:1:1: expected the key 'limit' in a rate
              1 | { limti: 10/s }
                | ^
            config.yaml:1:3: unknown key 'limti' in a rate; did you mean 'limit'?
              1 | { limti: 10/s }
                |   ^~~~~
            """
        ),
        (
            "limit: 10/s\nburst: 3\n",
            """
            config.yaml:2:1: unknown key 'burst' in a rate; expected limit or per
              2 | burst: 3
                | ^~~~~
            """
        ),
        (
            "- 10/s\n",
            """
            config.yaml:1:1: expected a mapping for a rate, found a list
              1 | - 10/s
                | ^
            """
        ),
        (
            "per: uesr\nlimit: 10\n\tno: 1\n",
            """
            config.yaml:3:1: expected spaces for the indentation, found a tab
              3 |     no: 1
                | ^~~~
            """
        ),
        (
            "x y: 1\nper: usr\nlimit: 10\n",
            """
            config.yaml:1:1: unknown key 'x y' in a rate; expected limit or per
              1 | x y: 1
                | ^~~
            config.yaml:2:6: expected user or route, found 'usr'; did you mean 'user'?
              2 | per: usr
                |      ^~~
            config.yaml:3:8: expected a rate such as 10/s, 100/m or 5/h, found '10'; did you mean '10/s'?
              3 | limit: 10
                |        ^~
            """
        ),
    ]

    @Test(arguments: faults)
    func allFaultsOfAMappingComeAtOnce(yaml: String, expected: String) {
        #expect(printedFaults(yaml) { _ = Limit($0, faults: $1) } == expected)
    }

    @Test func aStageReadsItsShortAndItsLongForm() {
        let short = value(of: "10/s\n") { Limit($0, faults: $1) }
        #expect(short?.rate == Rate(count: 10, per: .seconds(1)))
        #expect(short?.scope == "route")
        let long = value(of: "{ limit: 5/h, per: user }\n") { Limit($0, faults: $1) }
        #expect(long?.rate == Rate(count: 5, per: .seconds(3_600)))
        #expect(long?.scope == "user")
    }

    @Test func everyKindOfValueIsReadByItsKey() {
        let yaml = """
            string: a
            bool: true
            integer: 5
            duration: 5s
            size: 1KiB
            rate: 1/s
            strings: [a, b]
            word: on
            option: first-option
            list: [1]
            mapping: { a: 1 }
            members: { b: 1 }
            """
        _ = value(of: yaml) { node, faults in
            let keys = MappingReader(node, of: "a test", faults: faults)
            #expect(keys?.string("string") == "a")
            #expect(keys?.requiredNode("string")?.string(faults) == "a")
            #expect(keys?.bool("bool") == true)
            #expect(keys?.integer("integer", in: 1...9) == 5)
            #expect(keys?.duration("duration", in: .zero ... .seconds(9)) == .seconds(5))
            #expect(keys?.byteCount("size", in: 0...9_999) == 1_024)
            #expect(keys?.node("rate")?.rate(faults) == Rate(count: 1, per: .seconds(1)))
            #expect(keys?.strings("strings") == ["a", "b"])
            #expect(keys?.choice("word", of: ["on", "off"]) == "on")
            #expect(keys?.choice("option", of: Decoder.Option.self) == .first)
            #expect(keys?.node("list")?.items(faults)?.count == 1)
            #expect(keys?.mapping("mapping", of: "a part")?.integer("a") == 1)
            #expect(keys?.members("members")?.map(\.key) == ["b"])
            #expect(keys?.keyPlace("bool")?.description == "config.yaml:2:1")
            keys?.finish()
            #expect(faults.isEmpty)
            return true
        }
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
        let printed = printedFaults("a: 1\n") { MappingReader($0, of: "a test", faults: $1)?.finish() }
        #expect(
            printed == """
                config.yaml:1:1: unknown key 'a' in a test; expected no keys
                  1 | a: 1
                    | ^
                """
        )
    }
}
