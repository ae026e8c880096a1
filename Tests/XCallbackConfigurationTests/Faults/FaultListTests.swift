import Testing
import XCallbackConfiguration

struct FaultListTests {
    private let reader = DocumentReader(ownership: .any)

    @Test func aMessageShowsTheControlCharactersOfTheTextInIt() {
        let faults = FaultList()
        faults.report("found a\u{1B}[31m\n\u{202E}é\u{E0041}", at: Place(file: "a"))
        faults.warn("found \u{0}", at: Place(file: "b"))
        #expect(faults.error?.faults.map(\.message) == ["found a<U+001B>[31m<U+000A><U+202E>é<U+E0041>"])
        #expect(faults.warnings.warnings.map(\.message) == ["found <U+0000>"])
    }

    @Test func faultsOfSeveralFilesAreSortedAndCounted() throws {
        let faults = FaultList()
        _ = reader.parse("b: @\n", name: "two.yaml", faults: faults)
        let node = try #require(reader.parse("a: 1\nb: 2\n", name: "one.yaml", faults: faults))
        faults.report("later", at: Place(file: "one.yaml", line: 2, column: 4))
        faults.report("sooner", at: Place(file: "one.yaml", line: 2, column: 1), other: .init(at: node.place))
        faults.report("sooner", at: Place(file: "one.yaml", line: 2, column: 1), other: .init(at: node.place))
        faults.report("cannot be found", at: Place(file: "absent.yaml"))
        let error = #expect(throws: ConfigurationError.self) { try faults.throwIfAny() }
        #expect(
            error?.description == """
                absent.yaml: cannot be found
                one.yaml:2:1: sooner; the other is at one.yaml:1:1
                  2 | b: 2
                    | ^
                one.yaml:2:4: later
                  2 | b: 2
                    |    ^
                two.yaml:1:4: a text cannot begin with this character; put it in quotes
                  1 | b: @
                    |    ^
                4 faults in 3 files
                """
        )
    }

    @Test func ofVeryManyFaultsTheFirstAreReportedAndAllAreCounted() {
        let faults = FaultList()
        for line in (1...10_000).reversed() { faults.report("bad", at: Place(file: "a", line: line, column: 1)) }
        let error = #expect(throws: ConfigurationError.self) { try faults.throwIfAny() }
        #expect(error?.faults.count == 50)
        #expect(error?.description.hasSuffix("a:9050:1: bad\n10000 faults in 1 file; 9950 more than these 50") == true)
    }
}
