import CArguments
import Testing

/// The rounding that takes the place of the C library's in the release programs.
@Suite struct RoundingTests {
    private static var pairs: [(own: (Double) -> Double, reference: (Double) -> Double)] {
        [
            (xcb_ceil, { $0.rounded(.up) }), (xcb_floor, { $0.rounded(.down) }),
            (xcb_rint, { $0.rounded(.toNearestOrEven) }), (xcb_round, { $0.rounded(.toNearestOrAwayFromZero) }),
            (xcb_trunc, { $0.rounded(.towardZero) }),
        ]
    }

    @Test func roundsAsTheCLibraryDoes() {
        let edges: [Double] = [
            0, .leastNonzeroMagnitude, 0.49999999999999994, 0.5, 0x1p51, 0x1p51 + 0.5, 0x1p52 - 0.5, 0x1p52, 0x1p53 - 1,
            0x1p63, .greatestFiniteMagnitude, .infinity, .nan,
        ]
        let quarters = (0...4000).map { Double($0) / 4 }
        var generator = SystemRandomNumberGenerator()
        let random = (0..<100_000).map { _ in Double(bitPattern: generator.next()) }
        for value in edges + quarters + random {
            for (own, reference) in Self.pairs {
                for value in [value, -value] {
                    let (found, expected) = (own(value), reference(value))
                    let isSame = expected.isNaN ? found.isNaN : found.bitPattern == expected.bitPattern
                    if !isSame { Issue.record("\(value): \(found), not \(expected)") }
                }
            }
        }
    }
}
