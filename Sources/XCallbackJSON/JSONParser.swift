extension JSONValue {
    /// How deep lists and objects may be nested if nothing else is said.
    package static let defaultDepth = 64

    /// Parses a JSON text.
    ///
    /// A byte order mark is refused, as are names that repeat within an object and halves of surrogate pairs.
    ///
    /// - Parameters:
    ///   - text: The text in UTF-8; blanks may stand around the value.
    ///   - maximumSize: How many bytes the text may have.
    ///   - maximumDepth: How deep lists and objects may be nested.
    /// - Throws: ``JSONError`` for the first thing that is wrong.
    package init(
        parsing text: Span<UInt8>, maximumSize: Int, maximumDepth: Int = defaultDepth
    ) throws(JSONError) {
        guard text.count <= maximumSize else {
            throw JSONError(reason: .tooLong(limit: maximumSize), offset: maximumSize)
        }
        var position = 0
        let parser = JSONParser(maximumDepth: maximumDepth)
        self = try parser.value(of: text, &position, depth: 0)
        parser.skipBlanks(of: text, &position)
        if position < text.count { throw JSONError(reason: .trailingText, offset: position) }
    }
}

/// Reads values; each function begins at a position and leaves it behind what it has read.
private struct JSONParser {
    let maximumDepth: Int

    func value(of text: Span<UInt8>, _ position: inout Int, depth: Int) throws(JSONError) -> JSONValue {
        skipBlanks(of: text, &position)
        guard position < text.count else { throw JSONError(reason: .unexpectedEnd, offset: position) }
        switch text[position] {
        case UInt8(ascii: "{"): return .object(try members(of: text, &position, depth: depth + 1))
        case UInt8(ascii: "["): return .array(try elements(of: text, &position, depth: depth + 1))
        case UInt8(ascii: "\""): return .string(try string(of: text, &position))
        case UInt8(ascii: "t"): return try word("true", .bool(true), of: text, &position)
        case UInt8(ascii: "f"): return try word("false", .bool(false), of: text, &position)
        case UInt8(ascii: "n"): return try word("null", .null, of: text, &position)
        default: return .number(try number(of: text, &position))
        }
    }

    func skipBlanks(of text: Span<UInt8>, _ position: inout Int) {
        while position < text.count, isBlank(text[position]) { position += 1 }
    }

    private func elements(
        of text: Span<UInt8>, _ position: inout Int, depth: Int
    ) throws(JSONError) -> [JSONValue] {
        var elements: [JSONValue] = []
        try open(text, &position, depth: depth)
        if takes(UInt8(ascii: "]"), of: text, &position) { return elements }
        while true {
            elements.append(try value(of: text, &position, depth: depth))
            if takes(UInt8(ascii: "]"), of: text, &position) { return elements }
            try expect(UInt8(ascii: ","), "',' or ']'", of: text, &position)
        }
    }

    private func members(
        of text: Span<UInt8>, _ position: inout Int, depth: Int
    ) throws(JSONError) -> [JSONValue.Member] {
        var members: [JSONValue.Member] = []
        // As bytes: strings with the same look are equal although their texts differ.
        var names: Set<[UInt8]> = []
        try open(text, &position, depth: depth)
        if takes(UInt8(ascii: "}"), of: text, &position) { return members }
        while true {
            skipBlanks(of: text, &position)
            let start = position
            guard position >= text.count || text[position] == UInt8(ascii: "\"") else {
                throw JSONError(reason: .expected("a name in quotes"), offset: position)
            }
            let name = try string(of: text, &position)
            guard names.insert(Array(name.utf8)).inserted else {
                throw JSONError(reason: .repeatedName, offset: start)
            }
            try expect(UInt8(ascii: ":"), "':'", of: text, &position)
            members.append(JSONValue.Member(name, try value(of: text, &position, depth: depth)))
            if takes(UInt8(ascii: "}"), of: text, &position) { return members }
            try expect(UInt8(ascii: ","), "',' or '}'", of: text, &position)
        }
    }

    /// Skips the bracket of a list or an object.
    private func open(_ text: Span<UInt8>, _ position: inout Int, depth: Int) throws(JSONError) {
        guard depth <= maximumDepth else {
            throw JSONError(reason: .tooDeep(limit: maximumDepth), offset: position)
        }
        position += 1
    }

    /// Skips blanks and then a byte, if it is there.
    private func takes(_ byte: UInt8, of text: Span<UInt8>, _ position: inout Int) -> Bool {
        skipBlanks(of: text, &position)
        guard position < text.count, text[position] == byte else { return false }
        position += 1
        return true
    }

    private func expect(
        _ byte: UInt8, _ what: String, of text: Span<UInt8>, _ position: inout Int
    ) throws(JSONError) {
        if takes(byte, of: text, &position) { return }
        throw JSONError(reason: position < text.count ? .expected(what) : .unexpectedEnd, offset: position)
    }

    private func word(
        _ word: StaticString, _ value: JSONValue, of text: Span<UInt8>, _ position: inout Int
    ) throws(JSONError) -> JSONValue {
        for index in 0..<word.utf8CodeUnitCount {
            guard position + index < text.count else { throw JSONError(reason: .unexpectedEnd, offset: text.count) }
            guard text[position + index] == word.utf8Start[index] else {
                throw JSONError(reason: .notAValue, offset: position)
            }
        }
        position += word.utf8CodeUnitCount
        return value
    }

    private func number(of text: Span<UInt8>, _ position: inout Int) throws(JSONError) -> JSONNumber {
        let length = lengthOfNumber(in: text, from: position)
        guard let length else { throw JSONError(reason: .badNumber, offset: position) }
        var digits: [UInt8] = []
        for index in position..<position + length { digits.append(text[index]) }
        guard let number = JSONNumber(String(decoding: digits, as: UTF8.self)) else {
            throw JSONError(reason: .notAValue, offset: position)
        }
        position += length
        return number
    }

    private func string(of text: Span<UInt8>, _ position: inout Int) throws(JSONError) -> String {
        let start = position
        var bytes: [UInt8] = []
        position += 1
        while position < text.count {
            let byte = text[position]
            switch byte {
            case UInt8(ascii: "\""):
                position += 1
                guard let string = String(validating: bytes, as: UTF8.self) else {
                    throw JSONError(reason: .notUTF8, offset: start)
                }
                return string
            case UInt8(ascii: "\\"): try escape(of: text, &position, into: &bytes)
            case 0..<0x20: throw JSONError(reason: .controlCharacter, offset: position)
            default:
                bytes.append(byte)
                position += 1
            }
        }
        throw JSONError(reason: .unexpectedEnd, offset: text.count)
    }

    private func escape(
        of text: Span<UInt8>, _ position: inout Int, into bytes: inout [UInt8]
    ) throws(JSONError) {
        guard position + 1 < text.count else { throw JSONError(reason: .unexpectedEnd, offset: text.count) }
        if let byte = escapedByte(text[position + 1]) {
            bytes.append(byte)
            position += 2
            return
        }
        let start = position
        let first = try codeUnit(of: text, &position)
        var scalar = Unicode.Scalar(UInt32(first))
        if UTF16.isLeadSurrogate(first), position < text.count, text[position] == UInt8(ascii: "\\") {
            let second = try codeUnit(of: text, &position)
            if UTF16.isTrailSurrogate(second) {
                scalar = Unicode.Scalar(0x1_0000 + (UInt32(first) & 0x3FF) << 10 + UInt32(second) & 0x3FF)
            }
        }
        guard let scalar else { throw JSONError(reason: .loneSurrogate, offset: start) }
        bytes.append(contentsOf: UTF8.encode(scalar) ?? .encodedReplacementCharacter)
    }

    /// Reads `\uXXXX`.
    private func codeUnit(of text: Span<UInt8>, _ position: inout Int) throws(JSONError) -> UInt16 {
        guard position + 1 < text.count, text[position + 1] == UInt8(ascii: "u") else {
            throw JSONError(reason: .badEscape, offset: position)
        }
        var value: UInt16 = 0
        for index in position + 2..<position + 6 {
            guard index < text.count else { throw JSONError(reason: .unexpectedEnd, offset: text.count) }
            guard let digit = Character(Unicode.Scalar(text[index])).hexDigitValue, text[index] < 0x80 else {
                throw JSONError(reason: .badEscape, offset: position)
            }
            value = value << 4 | UInt16(digit)
        }
        position += 6
        return value
    }
}

private func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
}

/// What a letter after a `\` stands for; nil for `u` and for what JSON does not know.
private func escapedByte(_ letter: UInt8) -> UInt8? {
    switch letter {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): letter
    case UInt8(ascii: "b"): 0x08
    case UInt8(ascii: "f"): 0x0C
    case UInt8(ascii: "n"): 0x0A
    case UInt8(ascii: "r"): 0x0D
    case UInt8(ascii: "t"): 0x09
    default: nil
    }
}
