/// Item names of nested values: the keys on the path to the value, separated by full stops.
///
/// A full stop or a backslash in a key is escaped with a backslash.
enum NamePath {
    static let separator = UInt8(ascii: ".")
    static let escape = UInt8(ascii: "\\")

    /// Returns a key in the form used in a name.
    static func escaped(_ key: String) -> String {
        for byte in key.utf8 where byte == separator || byte == escape { return slowlyEscaped(key) }
        return key
    }

    private static func slowlyEscaped(_ key: String) -> String {
        var result = ""
        for character in key.unicodeScalars {
            if character == "." || character == "\\" { result.unicodeScalars.append("\\") }
            result.unicodeScalars.append(character)
        }
        return result
    }

    /// Returns the key of a component of a name.
    static func unescaped(_ piece: Span<UInt8>) -> [UInt8] {
        var key: [UInt8] = []
        var isEscaped = false
        for index in piece.indices {
            if piece[index] == escape, !isEscaped {
                isEscaped = true
            } else {
                key.append(piece[index])
                isEscaped = false
            }
        }
        return key
    }

    /// Returns the end of the component that starts at a position.
    static func endOfPiece(in name: Span<UInt8>, from start: Int) -> (end: Int, hasEscapes: Bool) {
        var index = start
        var hasEscapes = false
        while index < name.count, name[index] != separator {
            if name[index] == escape {
                hasEscapes = true
                index += 1
            }
            index += 1
        }
        return (min(index, name.count), hasEscapes)
    }
}
