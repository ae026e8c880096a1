/// Finds the values of a text.
///
/// It is not recursive, so that depth uses memory and no stack.
struct JSONScanner {
    var nodes: [JSONLayout.Node] = []
    private(set) var tooDeepOffset: Int?
    private let maximumDepth: Int
    private let maximumCount: Int
    private var position = 0
    private var depth = 0
    /// The innermost open list or object.
    private var container: Int?

    init(maximumDepth: Int, maximumCount: Int) {
        self.maximumDepth = maximumDepth
        self.maximumCount = maximumCount
    }

    /// Finds all values.
    mutating func scan(_ text: Span<UInt8>) throws(JSONError) {
        repeat {
            try readValue(of: text)
            // After a value comes the next value or the end of its container.
            while let container {
                if try !readEnd(of: container, in: text) { break }
            }
        } while container != nil
        skipBlanks(of: text)
        if position < text.count { throw JSONError(reason: .trailingText, offset: position) }
    }

    /// Reads a value, or opens a nonempty list or object up to its first value.
    private mutating func readValue(of text: Span<UInt8>) throws(JSONError) {
        while true {
            switch try nextByte(of: text) {
            case UInt8(ascii: "\""): return try readString(of: text)
            case UInt8(ascii: "{"):
                try open(.object)
                if try nextByte(of: text) == UInt8(ascii: "}") { return }
                try readName(of: text)
            case UInt8(ascii: "["):
                try open(.array)
                if try nextByte(of: text) == UInt8(ascii: "]") { return }
            case UInt8(ascii: "t"): return try read("true", .true, of: text)
            case UInt8(ascii: "f"): return try read("false", .false, of: text)
            case UInt8(ascii: "n"): return try read("null", .null, of: text)
            default: return try readNumber(of: text)
            }
        }
    }

    /// Reads the text after a value of a container, or in an empty container.
    ///
    /// - Returns: Whether the container ends; if not, a value follows.
    private mutating func readEnd(of container: Int, in text: Span<UInt8>) throws(JSONError) -> Bool {
        let isObject = nodes[container].kind == .object
        let byte = try nextByte(of: text)
        if byte == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
            position += 1
            close(container)
            return true
        }
        guard byte == UInt8(ascii: ",") else {
            throw JSONError(reason: .expected(isObject ? "',' or '}'" : "',' or ']'"), offset: position)
        }
        try checkCount()
        position += 1
        if isObject { try readName(of: text) }
        return false
    }

    /// Skips blanks; returns the byte after them.
    private mutating func nextByte(of text: Span<UInt8>) throws(JSONError) -> UInt8 {
        skipBlanks(of: text)
        guard position < text.count else { throw JSONError(reason: .unexpectedEnd, offset: position) }
        return text[position]
    }

    private mutating func skipBlanks(of text: Span<UInt8>) {
        while position < text.count, isBlank(text[position]) { position += 1 }
    }

    /// Checks that there is room for more values.
    private func checkCount() throws(JSONError) {
        guard nodes.count < maximumCount else {
            throw JSONError(reason: .tooMany(limit: maximumCount), offset: position)
        }
    }

    private mutating func open(_ kind: JSONLayout.Kind) throws(JSONError) {
        try checkCount()
        depth += 1
        if depth > maximumDepth, tooDeepOffset == nil { tooDeepOffset = position }
        append(kind, position..<position, successor: container ?? nodes.count)
        container = nodes.count - 1
        position += 1
    }

    private mutating func close(_ number: Int) {
        let around = nodes[number].next
        // The outermost container contains itself.
        container = around == number ? nil : around
        nodes[number].end = UInt32(truncatingIfNeeded: position)
        nodes[number].successor = UInt32(truncatingIfNeeded: nodes.count)
        depth -= 1
    }

    private mutating func append(
        _ kind: JSONLayout.Kind, _ range: Range<Int>, successor: Int, form: JSONLayout.StringForm = .init()
    ) {
        let node = JSONLayout.Node(
            start: UInt32(truncatingIfNeeded: range.lowerBound), end: UInt32(truncatingIfNeeded: range.upperBound),
            successor: UInt32(truncatingIfNeeded: successor), kind: kind, form: form)
        nodes.append(node)
    }
}

// MARK: - Scalars

extension JSONScanner {
    /// Reads the name of a member and the following colon.
    private mutating func readName(of text: Span<UInt8>) throws(JSONError) {
        guard try nextByte(of: text) == UInt8(ascii: "\"") else {
            throw JSONError(reason: .expected("a name in quotes"), offset: position)
        }
        try readString(of: text)
        guard try nextByte(of: text) == UInt8(ascii: ":") else {
            throw JSONError(reason: .expected("':'"), offset: position)
        }
        position += 1
    }

    private mutating func readString(of text: Span<UInt8>) throws(JSONError) {
        let start = position + 1
        var end = start
        var form: JSONLayout.StringForm = .init()
        while true {
            end = endOfPlain(in: text, from: end)
            guard end < text.count else { throw JSONError(reason: .unexpectedEnd, offset: text.count) }
            if text[end] == UInt8(ascii: "\"") { break }
            guard text[end] == UInt8(ascii: "\\") else {
                throw JSONError(reason: .controlCharacter, offset: end)
            }
            let escape = try JSONEscape(of: text, at: end)
            form.hasEscapes = true
            if escape.scalar == nil { form.hasLoneSurrogate = true }
            end += escape.length
        }
        guard isUTF8(text.extracting(start..<end)) else {
            throw JSONError(reason: .notUTF8, offset: position)
        }
        append(.string, start..<end, successor: nodes.count + 1, form: form)
        position = end + 1
    }

    private mutating func readNumber(of text: Span<UInt8>) throws(JSONError) {
        guard let length = lengthOfNumber(in: text, from: position) else {
            throw JSONError(reason: .badNumber, offset: position)
        }
        guard length > 0 else { throw JSONError(reason: .notAValue, offset: position) }
        append(.number, position..<position + length, successor: nodes.count + 1)
        position += length
    }

    private mutating func read(
        _ word: StaticString, _ kind: JSONLayout.Kind, of text: Span<UInt8>
    ) throws(JSONError) {
        let end = position + word.utf8CodeUnitCount
        for index in position..<end {
            guard index < text.count else { throw JSONError(reason: .unexpectedEnd, offset: text.count) }
            guard text[index] == word.utf8Start[index - position] else {
                throw JSONError(reason: .notAValue, offset: position)
            }
        }
        append(kind, position..<end, successor: nodes.count + 1)
        position = end
    }
}

private func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
}
