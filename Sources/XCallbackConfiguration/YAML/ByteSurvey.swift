/// What is known of the bytes of a file after one look at sixteen at a time.
struct ByteSurvey {
    /// Whether there are only printable characters of ASCII and line feeds.
    let isPlain: Bool
    /// Whether there are only characters of ASCII.
    let isASCII: Bool
    /// How many line feeds there are.
    let lineFeedCount: Int

    private typealias Block = SIMD16<UInt8>

    init(_ bytes: [UInt8]) {
        var (others, all, feeds) = (Block(), Block(), Block())
        var (count, start) = (0, 0)
        // Of each byte the highest bit says whether it is looked for: arithmetic takes a few instructions of the processor,
        // while comparisons of vectors are made one by one.
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
                // A byte counts up to 255.
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
