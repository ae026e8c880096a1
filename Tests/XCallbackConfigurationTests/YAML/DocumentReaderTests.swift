import TestSupport
import Testing
import XCallbackConfiguration

struct DocumentReaderTests {
    static let values: [(String, String)] = [
        ("", "{}"), ("\n\n", "{}"), ("# only words\n", "{}"), ("---\n", "{}"), ("--- ~\n...\n", "{}"),
        ("a: no\nb: 1.0\nc: 10/s\nd: 0x1F\n", "{a: no, b: 1.0, c: 10/s, d: 0x1F}"),
        ("a: 'no'\nb: \"x\\ty\"\nc: >\n  d\n", "{a: 'no', b: 'x\ty', c: 'd\n'}"),
        ("a: !!str 3\n", "{a: '3'}"),
        ("a:\n", "{a: }"),
        ("- 1\n- {b: c}\n- [d, e: f]\n", "[1, {b: c}, [d, {e: f}]]"),
        ("z: 1\na: 2\n'': 3\n", "{z: 1, a: 2, : 3}"),
        ("a: &x [1, 2]\nb: *x\nc: &x 3\nd: *x\n", "{a: [1, 2], b: [1, 2], c: 3, d: 3}"),
        ("&k a: 1\nb: *k\n", "{a: 1, b: a}"),
        ("- &x {a: 1, b: 2}\n- <<: *x\n  b: 3\n", "[{a: 1, b: 2}, {b: 3, a: 1}]"),
        ("<<: [{a: 1}, {a: 2, b: 3}]\nc: 4\n", "{c: 4, a: 1, b: 3}"),
        ("'<<': 1\n", "{<<: 1}"),
        (#"{"a": "\u00e9\U0001F600"}"#, "{a: 'é😀'}"), (#"a: \ud83d\ude00"#, #"{a: \ud83d\ude00}"#),
    ]

    @Test(arguments: values)
    func aTextIsReadAsItsValue(yaml: String, expected: String) {
        #expect(value(of: yaml) { node, _ in node.outline } == expected)
    }

    static let faults: [(String, String)] = [
        ("exec: 1\nb: 2\n'exec': 3\n", "3:1: key 'exec' is given twice; the first is at config.yaml:1:1"),
        ("{<<: {}, <<: {}}\n", "1:10: key '<<' is given twice; the first is at config.yaml:1:2"),
        ("<<: 3\n", "1:5: expected a mapping to merge, found '3'"),
        ("? [a]\n: b\n", "1:3: expected text as a key, found a list"),
        ("{a: 1}: b\n", "1:1: expected text as a key, found a mapping"),
        ("?\n: b\n", "1:2: expected text as a key, found nothing"),
        ("a: 1\n---\nb: 2\n", "2:1: expected one document in a file, found a second one"),
        ("a: !!int 3\n", "1:4: unknown tag '!!int'; the key decides on the type of a value"),
        ("a: !env [x]\n", "1:4: unknown tag '!env'; the key decides on the type of a value"),
        ("a: !!map [x]\n", "1:4: unknown tag '!!map'; the key decides on the type of a value"),
        ("a: \"x\\0y\"\n", "1:4: a text must not hold a NUL character"),
        ("a: *b\n", "1:4: unknown alias 'b': text that begins with '*' needs quotes"),
        (
            #"{a: "\ud83d\ude00"}"#,
            "1:8: this escape is not a character: write the character itself, or '\\UNNNNNNNN' for one beyond \\uFFFF"
        ),
        ("a: &common 1\nb: *comon\n", "2:4: unknown alias 'comon'; did you mean 'common'?"),
        ("a: &x [*x]\n", "1:8: alias 'x' stands within the value that it repeats"),
    ]

    @Test(arguments: faults)
    func whatAConfigurationCannotHoldIsAFault(yaml: String, expected: String) {
        #expect(faultLines(of: yaml) == ["config.yaml:" + expected])
    }

    /// In a long mapping, keys are found in another way than in a short one.
    @Test(arguments: [14, 15, 16, 17, 40])
    func inALongMappingEachKeyIsThereOnce(count: Int) {
        let lines = (1...count).map { "k\($0): \($0)\n" }
        let (first, last) = (lines[0], lines[count - 1])
        expect(
            faultLines(of: lines.joined() + first + last),
            equals: [
                "config.yaml:\(count + 1):1: key 'k1' is given twice; the first is at config.yaml:1:1",
                "config.yaml:\(count + 2):1: key 'k\(count)' is given twice; the first is at config.yaml:\(count):1",
            ])
        // By bytes: the last key is another one, though it has the same characters as the first.
        let other = "e\u{301}: 2\n"
        expect(faultLines(of: "\u{E9}: 1\n" + lines.joined() + other), equals: [])
        let merged = value(of: lines.joined() + "<<: {k1: x, k\(count): x, new: y}\n") { node, _ in node.outline }
        let all = (1...count).map { "k\($0): \($0)" } + ["new: y"]
        expect(merged, equals: "{\(all.joined(separator: ", "))}")
    }

    @Test func afterAFaultThatIsNotOfSyntaxTheValueIsThere() throws {
        let faults = FaultList()
        let node = DocumentReader(ownership: .any).parse("a: 1\na: 2\nb: !x 3\n", name: "c", faults: faults)
        expect(try #require(node).outline, equals: "{a: 1, b: '3'}")
        #expect(faults.told.count == 2)
    }

    @Test func aRepeatedValueKeepsItsPlace() throws {
        let place = value(of: "a: &x\n  k: v\nb: *x\n") { node, _ -> Place? in
            guard case .mapping(let members) = node.content else { return nil }
            return Array(members).last?.value.place
        }
        expect(try #require(place).description, equals: "config.yaml:1:4")
    }
}
