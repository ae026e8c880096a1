import Testing
import XCallbackTesting

/// The maximum cost of requests, as far as it does not depend on the clock.
@Suite(.blocking, .serialized, .timeLimit(.minutes(10)))
struct RequestCostTests {
    /// A recorded cost of requests.
    struct Record: CustomTestStringConvertible {
        let tool: CountingTool
        /// The client's dialect.
        var dialect = CountingTool.Dialect.lines
        /// The number of requests that the client sends at a time.
        let batch: Int
        /// The cost of a request.
        let cost: Double
        /// The tolerance above the cost.
        let room: Double

        var limit: Double { cost + room }
        var testDescription: String { "\(tool), \(dialect), \(batch) at a time" }
    }

    /// The costs counted by these tests on Debian 12 and x86-64, with Swift 6.3.1.
    ///
    /// The system calls are `epoll_wait`, `recvfrom` and `sendto`. The tolerance covers periodic work of the daemon, and
    /// a tenth of the instructions, for other compilers. Ten requests at a time are fewer than the daemon answers before it
    /// checks the clock: everything is slow under the tool, and the clock would end their turn. After a change that makes a
    /// request cheaper, or dearer for a good reason, record the new cost.
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
        // The difference cancels the daemon's other work, except for the memory that it frees at its end: the process may be
        // faster there, which is 100 instructions per request here.
        let few = try record.tool.count(requestCount, record.dialect, batch: record.batch)
        let many = try record.tool.count(3 * requestCount, record.dialect, batch: record.batch)
        let cost = Double(many - few) / Double(2 * requestCount)
        #expect(cost <= record.limit, "\(record.tool) for a request, \(record.cost) when it was recorded")
    }
}
