import TestSupport
import Testing
import XCallbackRouter
import XCallbackURL
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

    /// A handler can return any code: those beyond the limit are counted together.
    @Test func aCodeThatIsListedStaysCounted() {
        var statistics = Statistics()
        for code in Array(1001...1020) + [1001] {
            statistics.add(.error(CallbackError(CallbackError.Code(rawValue: code), "")), of: nil, after: 0)
        }
        let codes = statistics.traffic.elements?.first?["codes"]?.elements
        expect(codes?.first, equals: ["code": .whole(1001), "errors": .whole(2)])
        expect(codes?.last, equals: ["code": .null, "errors": .whole(4)])
    }
}
