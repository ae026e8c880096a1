import TestSupport
import Testing
import XCallbackRouter
import XCallbackWire

@testable import XCallbackDaemon

struct StatisticsTests {
    @Test func eachBatchAddsTheTimeOfItsRequests() {
        var statistics = Statistics()
        for seconds in [2, 4] as [Int64] {
            for _ in 0..<3 { statistics.add(.cancel, of: nil) }
            statistics.endBatch(after: seconds * 1_000_000_000)
        }
        let row = statistics.traffic.elements?.first
        expect(row?["time"], equals: .number(JSONNumber(seconds: .seconds(18))))
        expect(row?["longest"], equals: .number(JSONNumber(seconds: .seconds(4))))
    }
}
