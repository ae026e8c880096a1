import CLinux

/// Makes names that nobody can guess.
final class TokenSource {
    /// How many are fetched at a time, as each call of the kernel costs more than they do.
    private static let poolSize = 64

    private var pool: [UInt128] = []

    /// Makes a name.
    func make() -> Token { Token(makeNumber()) }

    /// Makes what a name is made of.
    func makeNumber() -> UInt128 {
        if pool.isEmpty { fill() }
        // The generator of the system asks for each number.
        return pool.popLast() ?? .random(in: 0 ... .max)
    }

    private func fill() {
        var numbers = Array(repeating: UInt128(0), count: Self.poolSize)
        let isWhole = numbers.withUnsafeMutableBytes { xcb_random($0.baseAddress, $0.count) == $0.count }
        // A signal may have cut it short.
        pool = isWhole ? numbers : []
    }
}
