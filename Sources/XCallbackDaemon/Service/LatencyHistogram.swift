/// A histogram of request latencies; each class is at most an eighth wide.
///
/// A library would link Foundation, which uses more memory than the rest of the daemon.
struct LatencyHistogram {
    /// The number of classes per power of two.
    private static let classesPerOctave = 8
    /// The base-2 exponent of the shortest time with a class of its own, in nanoseconds: about a microsecond.
    private static let leastExponent = 10

    /// The counts, for times from a microsecond to a day.
    private var counts = Array(repeating: 0, count: 37 * classesPerOctave + 1)
    private var longest: Int64 = 0
    private(set) var count = 0

    /// Adds requests with a given latency.
    ///
    /// - Parameters:
    ///   - time: The latency, in nanoseconds.
    ///   - number: The number of requests.
    mutating func add(_ time: Int64, count number: Int) {
        counts[Self.index(of: time, below: counts.count)] += number
        count += number
        longest = max(longest, time)
    }

    /// Returns the latency that a given share of the requests did not exceed: the upper bound of its class.
    ///
    /// - Parameter share: A share from 0 to 1.
    /// - Returns: The latency; zero if there were no requests.
    func time(of share: Double) -> Duration {
        let wanted = share * Double(count)
        var sum = 0
        for (index, number) in counts.enumerated() where number > 0 {
            sum += number
            if Double(sum) >= wanted { return min(.nanoseconds(Self.end(of: index)), longestTime) }
        }
        return longestTime
    }

    /// The longest latency.
    var longestTime: Duration { .nanoseconds(longest) }

    private static func index(of time: Int64, below end: Int) -> Int {
        let value = UInt64(max(time, 0))
        guard value >= 1 << leastExponent else { return 0 }
        let exponent = 63 - value.leadingZeroBitCount
        let part = Int(value >> UInt64(exponent - 3)) & (classesPerOctave - 1)
        return min((exponent - leastExponent) * classesPerOctave + part + 1, end - 1)
    }

    /// The upper bound of a class, in nanoseconds.
    private static func end(of index: Int) -> Int64 {
        guard index > 0 else { return 1 << leastExponent }
        let octave: Int64 = 1 << (leastExponent + (index - 1) / classesPerOctave)
        return octave + octave / Int64(classesPerOctave) * Int64((index - 1) % classesPerOctave + 1)
    }
}
