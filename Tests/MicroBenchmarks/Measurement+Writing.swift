import XCallbackWire

extension Measurement {
    /// The result for people.
    var line: String {
        let columns = [
            "\(best.written(decimals: 1)) ns/op", "\(median.written(decimals: 1)) ns/op",
            "\(allocations.written(decimals: 3)) allocations/op",
        ]
        return name.padded(to: 16) + zip(columns, [18, 18, 24]).map { $0.aligned(to: $1) }.joined()
    }

    /// The result for programs; times are in nanoseconds.
    var json: JSONValue {
        ["name": .string(name), "best": best.json, "median": median.json, "allocations": allocations.json]
    }
}

extension String {
    /// The text with blanks behind it.
    fileprivate func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(width - count, 0))
    }

    /// The text with blanks before it.
    fileprivate func aligned(to width: Int) -> String {
        String(repeating: " ", count: max(width - count, 0)) + self
    }
}

extension Double {
    /// The number, which is not negative, with so many digits behind the point.
    fileprivate func written(decimals: Int) -> String {
        let scale = (0..<decimals).reduce(1) { scale, _ in scale * 10 }
        let value = Int((self * Double(scale)).rounded())
        let fraction = String(value % scale)
        return "\(value / scale)." + String(repeating: "0", count: decimals - fraction.count) + fraction
    }

    fileprivate var json: JSONValue {
        JSONNumber(written(decimals: 3)).map { .number($0) } ?? .null
    }
}
