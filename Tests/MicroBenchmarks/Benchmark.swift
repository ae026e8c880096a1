/// Something that is done again and again to see what it costs.
struct Benchmark {
    /// What it is called in the results.
    let name: String
    /// Does it so many times; what it needs besides is made before that, once.
    let run: (Int) throws -> Void
}

/// Why nothing can be measured.
struct BenchmarkFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }

    /// Throws if what was done did not come to what it had to.
    static func check<Value: Equatable>(_ name: String, _ value: Value, is expected: Value) throws {
        guard value != expected else { return }
        throw BenchmarkFailure("'\(name)' came to \(value) instead of \(expected)")
    }
}

/// Uses a value, so that the compiler has to make it.
@inline(never)
func keep<Value>(_ value: Value) {}
