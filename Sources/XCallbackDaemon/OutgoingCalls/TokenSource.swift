import CLinux

/// Generates names that cannot be guessed.
final class TokenSource {
    /// The number of tokens fetched at a time, because the system call costs more than the random bits.
    private static let poolSize = 64

    private var pool: [UInt128] = []

    /// Generates a name.
    func make() -> Token { Token(makeNumber()) }

    /// Generates the random bits of a name.
    func makeNumber() -> UInt128 {
        if pool.isEmpty { fill() }
        // The system's generator makes a system call for each number.
        return pool.popLast() ?? .random(in: 0 ... .max)
    }

    private func fill() {
        var numbers = Array(repeating: UInt128(0), count: Self.poolSize)
        let isWhole = numbers.withUnsafeMutableBytes { xcb_random($0.baseAddress, $0.count) == $0.count }
        // A signal may have interrupted the call.
        pool = isWhole ? numbers : []
    }
}
