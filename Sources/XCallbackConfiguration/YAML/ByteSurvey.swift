/// Properties of a file's bytes, determined in one pass over sixteen bytes at a time.
struct ByteSurvey {
    /// Whether there are only printable ASCII characters and line feeds.
    let isPlain: Bool
    /// Whether there are only ASCII characters.
    let isASCII: Bool
    /// The number of line feeds.
    let lineFeedCount: Int

    private typealias Block = SIMD16<UInt8>

    init(_ bytes: [UInt8]) {
        var (others, all, feeds) = (Block(), Block(), Block())
        var (count, start) = (0, 0)
        // The highest bit of each byte shows whether it is a byte to find: arithmetic compiles to a few instructions,
        // while vector comparisons are compiled element by element.
        func look(at block: Block) {
            let difference = block ^ UInt8(ascii: "\n")
            let feed = ((difference &- 1) & ~difference) & 0x80
            all |= block
            others |= block | (block &+ 1) | ((block &- 0x20) & ~feed)
            feeds &+= feed &>> 7
        }
        bytes.withUnsafeBytes { memory in
            while start + Block.scalarCount <= memory.count {
                look(at: memory.loadUnaligned(fromByteOffset: start, as: Block.self))
                start += Block.scalarCount
                // Each counter has one byte, so it can count to 255.
                if start % (255 * Block.scalarCount) == 0 { count += Self.sum(&feeds) }
            }
            var rest = Block(repeating: UInt8(ascii: " "))
            for offset in start..<memory.count { rest[offset - start] = memory[offset] }
            count += Self.sum(&feeds)
            look(at: rest)
        }
        lineFeedCount = count + Self.sum(&feeds)
        isASCII = all.max() < 0x80
        isPlain = (others & 0x80) == Block()
    }

    private static func sum(_ counts: inout Block) -> Int {
        defer { counts = Block() }
        return counts.indices.reduce(0) { $0 + Int(counts[$1]) }
    }
}
