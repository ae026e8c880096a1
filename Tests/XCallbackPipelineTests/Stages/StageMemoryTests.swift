import Testing
import XCallbackPipeline

struct StageMemoryTests {
    private struct Visits: StageMemory {
        var count = 0
    }

    private struct Names: StageMemory {
        var all: [String] = []
    }

    @Test func eachTypeHasItsOwnMemory() {
        var state = PipelineState()
        #expect(state[Visits.self].count == 0)
        state[Visits.self].count += 1
        state[Names.self].all.append("a")
        state[Visits.self].count += 1
        #expect(state[Visits.self].count == 2)
        #expect(state[Names.self].all == ["a"])
    }

    @Test func aCopyHasAMemoryOfItsOwn() {
        var state = PipelineState()
        state[Visits.self].count = 1
        var copy = state
        copy[Visits.self].count = 5
        copy[Names.self].all.append("a")
        state[Visits.self].count += 1
        #expect(state[Visits.self].count == 2)
        #expect(state[Names.self].all.isEmpty)
        #expect(copy[Visits.self].count == 5)
    }

    /// What is remembered is large: each change of a copy of it would take as long as it is.
    @Test func itIsChangedInPlace() {
        var state = PipelineState()
        state[Names.self].all = ["a", "b"]
        func place() -> Int { state[Names.self].all.withUnsafeMutableBufferPointer { Int(bitPattern: $0.baseAddress) } }
        let before = place()
        for _ in 0..<3 { state[Names.self].all[0] += "c" }
        #expect(place() == before)
        let copy = state
        state[Names.self].all[1] = ""
        #expect(place() != before)
        #expect(copy[Names.self].all == ["accc", "b"])
    }
}
