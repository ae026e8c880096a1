import Testing
import XCallbackConfiguration

@Suite(.timeLimit(.minutes(10)))
struct DocumentLimitsTests {
    @Test func aliasesThatGrowExponentiallyAreStopped() {
        var yaml = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
        for level in 1...60 {
            let item = "*a\(level - 1)"
            yaml += "a\(level): &a\(level) [\(Array(repeating: item, count: 10).joined(separator: ", "))]\n"
        }
        #expect(
            printedFaults(yaml) == """
                config.yaml:6:45: expected at most 1000000 values, with those that aliases repeat
                  6 | a5: &a5 [*a4, *a4, *a4, *a4, *a4, *a4, *a4, *a4, *a4, *a4]
                    |                                             ^~~
                """
        )
    }

    @Test func aliasesThatGrowDeepAreStopped() {
        var yaml = "- &a0 [x]\n"
        for level in 1...70 { yaml += "- &a\(level) [*a\(level - 1)]\n" }
        #expect(
            printedFaults(yaml) == """
                config.yaml:64:9: expected at most 64 levels of lists and mappings
                  64 | - &a63 [*a62]
                     |         ^~~~
                """
        )
    }

    static let nesting = [
        String(repeating: "[", count: 100_000), String(repeating: "{a: ", count: 100_000),
        String(repeating: "- ", count: 100_000), String(repeating: "? ", count: 10_000),
        String(repeating: "[", count: 66) + String(repeating: "]", count: 66),
    ]

    @Test(arguments: nesting)
    func deepNestingIsStopped(yaml: String) {
        #expect(printedFaults(yaml).contains(": expected at most 64 levels of lists and mappings\n  1 | …"))
    }

    @Test func nestingUpToTheLimitIsRead() {
        let yaml = String(repeating: "[", count: 64) + "x" + String(repeating: "]", count: 64)
        #expect(value(of: yaml) { node, _ in node.outline } == yaml)
    }

    @Test func limitsAreThoseOfTheReader() {
        var limits = DocumentLimits()
        limits.nodeCount = 4
        #expect(printedFaults("a: [1]\n", limits: limits).isEmpty)
        #expect(printedFaults("a: [1, 2]\n", limits: limits).contains("at most 4 values"))
        limits.byteCount = 4
        #expect(printedFaults("a: 1", limits: limits).isEmpty)
        #expect(printedFaults("a: 1\n", limits: limits) == "config.yaml: expected at most 4 bytes, found 5")
    }

    @Test func aHugeTextIsOneValue() {
        let text = String(repeating: "x", count: 1_000_000)
        #expect(value(of: "a: \(text)\n") { node, _ in node.outline.utf8.count } == 1_000_005)
        let printed = printedFaults("a: \"\(text)\"\n") { node, faults in
            _ = node.members(faults)?.first?.value.duration(faults)
        }
        #expect(printed.contains("found '" + String(repeating: "x", count: 60) + "…'\n"))
        #expect(printed.utf8.count < 500)
    }

    @Test func aLongLineOfManyValuesIsReadInOneWalk() {
        let yaml = "[" + String(repeating: "ü, ", count: 200_000) + "ü]"
        #expect(value(of: yaml) { node, faults in node.items(faults).map(Array.init)?.last?.place.column } == 600_002)
    }

    @Test func manyKeysAreReadInOneWalk() {
        let yaml = (0..<60_000).map { "key\($0): \($0)\n" }.joined()
        #expect(value(of: yaml) { node, faults in node.members(faults)?.count } == 60_000)
    }
}
