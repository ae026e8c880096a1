import CLinux

/// Makes names that nobody can guess: 128 random bits each, in hexadecimal.
final class TokenSource {
    /// How many bytes are fetched at a time, as each call of the kernel costs more than they do.
    private static let poolSize = 1024
    private static let tokenSize = 16

    private var pool: [UInt8] = []

    /// Makes a name.
    func make() -> String {
        if pool.count < Self.tokenSize { fill() }
        let bytes = pool.suffix(Self.tokenSize)
        pool.removeLast(Self.tokenSize)
        return String(unsafeUninitializedCapacity: 2 * Self.tokenSize) { text in
            for (index, byte) in bytes.enumerated() {
                text[2 * index] = digit(byte >> 4)
                text[2 * index + 1] = digit(byte & 0xF)
            }
            return 2 * Self.tokenSize
        }
    }

    private func fill() {
        var bytes = [UInt8](repeating: 0, count: Self.poolSize)
        let count = bytes.withUnsafeMutableBytes { getrandom($0.baseAddress, $0.count, 0) }
        // A signal may have cut it short; the generator of the system, which asks for each number, waits for it.
        if count == bytes.count { return pool = bytes }
        pool = (0..<Self.tokenSize).map { _ in .random(in: 0 ... .max) }
    }

    private func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
}
