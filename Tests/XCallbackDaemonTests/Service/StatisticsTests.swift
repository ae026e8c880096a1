import TestSupport
import Testing
import XCallbackRouter
import XCallbackWire

@testable import XCallbackDaemon

struct StatisticsTests {
    @Test func eachRequestAddsItsTime() {
        var statistics = Statistics()
        for seconds in [2, 4, 4, 2, 4, 2] as [Int64] {
            statistics.add(.cancel, of: nil, after: seconds * 1_000_000_000)
        }
        let row = statistics.traffic.elements?.first
        expect(row?["time"], equals: .number(JSONNumber(seconds: .seconds(18))))
        expect(row?["longest"], equals: .number(JSONNumber(seconds: .seconds(4))))
    }
}
