/// How long requests took: counts in classes, each at most an eighth wide.
///
/// A library would bring Foundation along, which costs more memory than all the rest of the daemon.
struct LatencyHistogram {
    /// How many classes there are to each power of two.
    private static let classesPerOctave = 8
    /// The shortest time that has a class of its own is 2 to this, in nanoseconds; so a microsecond.
    private static let leastExponent = 10

    /// From a microsecond to a day.
    private var counts = Array(repeating: 0, count: 37 * classesPerOctave + 1)
    private var longest: Int64 = 0
    private(set) var count = 0

    /// Counts requests that took a time.
    ///
    /// - Parameters:
    ///   - time: The time, in nanoseconds.
    ///   - number: How many requests.
    mutating func add(_ time: Int64, count number: Int) {
        counts[Self.index(of: time, below: counts.count)] += number
        count += number
        longest = max(longest, time)
    }

    /// A time within which a share of the requests was answered: the upper end of its class.
    ///
    /// - Parameter share: From 0 to 1.
    /// - Returns: The time; zero if there was no request.
    func time(of share: Double) -> Duration {
        let wanted = share * Double(count)
        var sum = 0
        for (index, number) in counts.enumerated() where number > 0 {
            sum += number
            if Double(sum) >= wanted { return min(.nanoseconds(Self.end(of: index)), longestTime) }
        }
        return longestTime
    }

    /// The longest time.
    var longestTime: Duration { .nanoseconds(longest) }

    private static func index(of time: Int64, below end: Int) -> Int {
        let value = UInt64(max(time, 0))
        guard value >= 1 << leastExponent else { return 0 }
        let exponent = 63 - value.leadingZeroBitCount
        let part = Int(value >> UInt64(exponent - 3)) & (classesPerOctave - 1)
        return min((exponent - leastExponent) * classesPerOctave + part + 1, end - 1)
    }

    /// The upper end of a class, in nanoseconds.
    private static func end(of index: Int) -> Int64 {
        guard index > 0 else { return 1 << leastExponent }
        let octave: Int64 = 1 << (leastExponent + (index - 1) / classesPerOctave)
        return octave + octave / Int64(classesPerOctave) * Int64((index - 1) % classesPerOctave + 1)
    }
}
