import Testing
import XCallbackEventLoop
import XCallbackTesting

/// The sorted list against entries that are searched from end to end.
struct DeadlineListTests {
    private struct Entry {
        let id: DeadlineList<Int>.ID
        let time: Int64
        let payload: Int
    }

    @Test(arguments: 0..<20)
    func deadlinesComeInTheOrderOfTheirTimes(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var list = DeadlineList<Int>()
        var entries: [Entry] = []
        var dead: [DeadlineList<Int>.ID] = []
        for payload in 0..<1500 {
            switch random.below(5) {
            case 0...2:
                // Few different times, so that many are equal.
                let time = Int64(random.below(300))
                entries.append(Entry(id: list.add(payload, at: time), time: time, payload: payload))
            case 3:
                guard let index = entries.indices.randomElement(using: &random) else { continue }
                dead.append(entries.remove(at: index).id)
                list.cancel(dead[dead.count - 1])
            default:
                let now = Int64(random.below(200))
                let taken = list.takeDue(at: now)
                let due = entries.map(\.time).min().map { $0 <= now } == true
                #expect((taken != nil) == due)
                guard let taken, let index = entries.firstIndex(where: { $0.payload == taken }) else { continue }
                #expect(entries[index].time == entries.map(\.time).min())
                dead.append(entries.remove(at: index).id)
            }
            // What is due or cancelled stays so, though its place has been given away.
            if let id = dead.randomElement(using: &random) { list.cancel(id) }
            try #require(list.count == entries.count)
            try #require(list.nextTime == entries.map(\.time).min())
        }
        let rest = entries.map(\.time).sorted()
        var last: [Int64] = []
        while let time = list.nextTime, let payload = list.takeDue(at: .max) {
            #expect(entries.contains { $0.payload == payload && $0.time == time })
            last.append(time)
        }
        #expect(last == rest)
    }
}
