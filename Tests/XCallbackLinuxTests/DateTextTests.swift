import Testing
import XCallbackLinux

struct DateTextTests {
    static let moments: [(Int, String)] = [
        (0, "1970-01-01T00:00:00.000Z"), (5, "1970-01-01T00:00:00.005Z"), (50, "1970-01-01T00:00:00.050Z"),
        (1_795_241_400_123, "2026-11-21T06:10:00.123Z"), (1_709_210_096_789, "2024-02-29T12:34:56.789Z"),
    ]

    @Test(arguments: moments)
    func aMomentIsWrittenInUTC(milliseconds: Int, text: String) {
        #expect(Duration.milliseconds(milliseconds).dateText(as: "%Y-%m-%dT%H:%M:%S") + "Z" == text)
    }
}
