import XCallbackTesting

/// The bytes of an input, from which a target takes what it needs.
///
/// Numbers are digits, so that an input can be written by hand.
struct FuzzInput {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) {
        rest = bytes[...]
    }

    /// Whether nothing is left.
    var isEmpty: Bool { rest.isEmpty }

    /// Takes a number below a bound: one byte, of which `0` is the number 0; 0 at the end.
    mutating func below(_ bound: Int) -> Int {
        Int((rest.popFirst() ?? UInt8(ascii: "0")) &- UInt8(ascii: "0")) % bound
    }

    /// Takes a text of one to four of some pieces.
    mutating func text(of pieces: [String]) -> String {
        (0...below(4)).map { _ in pieces[below(pieces.count)] }.joined()
    }

    /// Takes what is left.
    mutating func takeRest() -> [UInt8] {
        defer { rest = [] }
        return Array(rest)
    }

    /// Takes a line, without its line feed.
    mutating func takeLine() -> [UInt8] {
        let line = rest.prefix { $0 != UInt8(ascii: "\n") }
        rest = rest.dropFirst(line.count + 1)
        return Array(line)
    }

    /// Takes what stands before a line that is a mark, and the line; all if there is no such line.
    mutating func takeText(before mark: StaticString) -> [UInt8] {
        var text: [UInt8] = []
        while !rest.isEmpty {
            let line = takeLine()
            if line.elementsEqual(mark.withUTF8Buffer { Array($0) }) { break }
            text += line
            if !rest.isEmpty { text.append(UInt8(ascii: "\n")) }
        }
        return text
    }
}

/// How an input is cut into the pieces in which it arrives.
struct Cuts {
    /// How many ways there are.
    static let count = 64

    /// Which way it is.
    let number: Int

    /// The pieces of an input: in the first way each byte is one.
    func pieces(of bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        var random = SeededGenerator(seed: UInt64(number))
        var pieces: [ArraySlice<UInt8>] = []
        var start = 0
        while start < bytes.count {
            let size = number == 0 ? 1 : 1 + random.below(random.below(4) == 0 ? 64 : 6)
            let end = min(start + size, bytes.count)
            pieces.append(bytes[start..<end])
            start = end
        }
        return pieces
    }
}
