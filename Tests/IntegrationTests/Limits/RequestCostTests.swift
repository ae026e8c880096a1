import Testing
import XCallbackTesting

/// What a request may cost, as far as that does not depend on the clock.
@Suite(.blocking, .serialized, .timeLimit(.minutes(10)))
struct RequestCostTests {
    /// What a request has cost once.
    struct Record: CustomTestStringConvertible {
        let tool: CountingTool
        /// How the client asked.
        var dialect = CountingTool.Dialect.lines
        /// How many requests the client sent at a time.
        let batch: Int
        /// What a request took.
        let cost: Double
        /// How much more it may take.
        let room: Double

        var limit: Double { cost + room }
        var testDescription: String { "\(tool), \(dialect), \(batch) at a time" }
    }

    /// The costs as these tests have counted them on Debian 12 and x86-64, with Swift 6.3.1.
    ///
    /// The system calls are `epoll_wait`, `recvfrom` and `sendto`. The room is for what the daemon does by the clock,
    /// and a tenth of the instructions, for other compilers. Ten requests at a time are fewer than the daemon answers
    /// before it looks at the clock: everything is slow under the tool, and the clock would end their turn. Who makes a
    /// request cheaper, or dearer with good reason, records the new cost.
    static let records = [
        Record(tool: .allocations, batch: 1, cost: 0, room: 0.05),
        Record(tool: .instructions, batch: 1, cost: 4_930, room: 490),
        Record(tool: .instructions, batch: 10, cost: 3_570, room: 350),
        Record(tool: .allocations, dialect: .calls, batch: 1, cost: 0, room: 0.05),
        Record(tool: .instructions, dialect: .calls, batch: 1, cost: 7_240, room: 720),
        Record(tool: .instructions, dialect: .calls, batch: 10, cost: 5_810, room: 580),
        Record(tool: .systemCalls, batch: 1, cost: 3, room: 0.1),
        Record(tool: .systemCalls, batch: 10, cost: 0.3, room: 0.03),
    ]

    @Test(arguments: records)
    func aRequestCostsHardlyMoreThanWasRecorded(record: Record) throws {
        let requestCount = 2000
        // What the daemon does besides goes away in the difference, but for what it frees at its end: there the process
        // may be faster, and that is 100 instructions a request here.
        let few = try record.tool.count(requestCount, record.dialect, batch: record.batch)
        let many = try record.tool.count(3 * requestCount, record.dialect, batch: record.batch)
        let cost = Double(many - few) / Double(2 * requestCount)
        #expect(cost <= record.limit, "\(record.tool) for a request, \(record.cost) when it was recorded")
    }
}
