import XCallbackWire

/// A JSON text, read by plain recursion: what the parser is compared with.
struct NaiveJSON {
    /// How deep lists and objects are nested.
    private(set) var depth = 0
    /// Whether there is half of a surrogate pair.
    private(set) var hasLoneSurrogate = false
    /// Whether a name repeats within its object.
    private(set) var repeatsName = false
    /// How many names and values there are.
    private(set) var count = 0
    /// The value; it means nothing if there is half of a surrogate pair.
    private(set) var value = JSONValue.null

    private struct NotJSON: Error {}

    private var rest: ArraySlice<UInt8>

    /// Reads a text; nil if it is not JSON (RFC 8259).
    init?(_ text: [UInt8]) {
        rest = text[...]
        guard String(validating: text, as: UTF8.self) != nil else { return nil }
        do {
            value = try readValue(1)
            skipBlanks()
        } catch {
            return nil
        }
        if !rest.isEmpty { return nil }
    }

    private mutating func skipBlanks() {
        rest = rest.drop { " \t\n\r".utf8.contains($0) }
    }

    private mutating func skip(_ text: String) -> Bool {
        guard rest.starts(with: text.utf8) else { return false }
        rest = rest.dropFirst(text.utf8.count)
        return true
    }

    private mutating func readValue(_ level: Int) throws -> JSONValue {
        skipBlanks()
        count += 1
        if skip("null") { return .null }
        if skip("true") { return .bool(true) }
        if skip("false") { return .bool(false) }
        if skip("\"") { return .string(try readString()) }
        if skip("[") { return .array(try readElements(level)) }
        if skip("{") { return .object(try readMembers(level)) }
        return .number(try readNumber())
    }

    private mutating func readElements(_ level: Int) throws -> [JSONValue] {
        depth = max(depth, level)
        skipBlanks()
        if skip("]") { return [] }
        var elements: [JSONValue] = []
        while true {
            elements.append(try readValue(level + 1))
            skipBlanks()
            if skip("]") { return elements }
            guard skip(",") else { throw NotJSON() }
        }
    }

    private mutating func readMembers(_ level: Int) throws -> [JSONValue.Member] {
        depth = max(depth, level)
        skipBlanks()
        if skip("}") { return [] }
        var members: [JSONValue.Member] = []
        var names: Set<[UInt8]> = []
        while true {
            skipBlanks()
            guard skip("\"") else { throw NotJSON() }
            count += 1
            let name = try readString()
            if !names.insert(Array(name.utf8)).inserted { repeatsName = true }
            skipBlanks()
            guard skip(":") else { throw NotJSON() }
            members.append(.init(name, try readValue(level + 1)))
            skipBlanks()
            if skip("}") { return members }
            guard skip(",") else { throw NotJSON() }
        }
    }

    private mutating func readNumber() throws -> JSONNumber {
        var text = skip("-") ? "-" : ""
        let whole = try readDigits()
        if whole.count > 1, whole.hasPrefix("0") { throw NotJSON() }
        text += whole
        if skip(".") { text += try "." + readDigits() }
        for letter in ["e", "E"] where skip(letter) {
            text += letter + (skip("+") ? "+" : skip("-") ? "-" : "")
            text += try readDigits()
        }
        guard let number = JSONNumber(text) else { throw NotJSON() }
        return number
    }

    private mutating func readDigits() throws -> String {
        let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        rest = rest.dropFirst(digits.count)
        if digits.isEmpty { throw NotJSON() }
        return String(decoding: digits, as: UTF8.self)
    }

    /// Reads a string behind its first quote.
    private mutating func readString() throws -> String {
        var units: [UInt16] = []
        while true {
            let plain = rest.prefix { $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
            units += Array(String(decoding: plain, as: UTF8.self).utf16)
            rest = rest.dropFirst(plain.count)
            if skip("\"") { break }
            guard skip("\\"), let letter = rest.popFirst() else { throw NotJSON() }
            units.append(try readEscape(letter))
        }
        let text = String(decoding: units, as: UTF16.self)
        if Array(text.utf16) != units { hasLoneSurrogate = true }
        return text
    }

    private mutating func readEscape(_ letter: UInt8) throws -> UInt16 {
        let letters: [UInt8: UInt16] = [
            UInt8(ascii: "\""): 0x22, UInt8(ascii: "\\"): 0x5C, UInt8(ascii: "/"): 0x2F, UInt8(ascii: "b"): 8,
            UInt8(ascii: "f"): 12, UInt8(ascii: "n"): 10, UInt8(ascii: "r"): 13, UInt8(ascii: "t"): 9,
        ]
        if let unit = letters[letter] { return unit }
        let digits = rest.prefix(4)
        rest = rest.dropFirst(4)
        guard letter == UInt8(ascii: "u"), digits.count == 4,
            digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
            let unit = UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
        else { throw NotJSON() }
        return unit
    }
}
