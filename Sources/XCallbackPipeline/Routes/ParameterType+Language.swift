package import XCallbackRouting
package import XCallbackURL

extension ParameterType {
    /// The facts about the type of a capture for the routing table.
    package var captureType: CaptureType {
        CaptureType(name: routingName, language: language, values: values) { matches($0) }
    }

    /// The texts for which ``matches(_:)`` is true.
    private var language: TextLanguage {
        switch self {
        case .integer: .integer
        case .number: .number
        case .boolean: .choice(Self.booleanWords.map { .textInAnyCase($0) })
        case .string: .byte(.all).atLeast(0)
        case .date: .date
        case .url: .url
        case .uuid: .uuid
        case .data: .data
        case .enumeration(let values): .choice(values.map { .text($0.utf8) })
        }
    }

    /// All texts of the language, if there are few.
    private var values: [String]? {
        switch self {
        case .boolean: Self.booleanWords.flatMap { "\($0)".spellings }
        case .enumeration(let values): values
        case .integer, .number, .string, .date, .url, .uuid, .data: nil
        }
    }

    private static let booleanWords: [StaticString] = ["true", "yes", "1", "false", "no", "0"]
}

extension String {
    /// An ASCII text with its letters in any case.
    fileprivate var spellings: [String] {
        reduce([""]) { spellings, letter in
            let lower = spellings.map { $0 + letter.lowercased() }
            return letter.isLetter ? lower + spellings.map { $0 + letter.uppercased() } : lower
        }
    }
}

extension TextLanguage {
    /// A whole number of 64 bits.
    fileprivate static let integer = Self.choice([
        wholeNumber(upTo: Array(String(Int64.max).utf8)[...]),
        .sequence([.anyByte(of: "-"), wholeNumber(upTo: Array(String(Int64.min.magnitude).utf8)[...])]),
    ])

    /// Digits for a number up to a maximum, with leading zeros.
    private static func wholeNumber(upTo greatest: ArraySlice<UInt8>) -> Self {
        .sequence([
            .anyByte(of: "0").atLeast(0),
            .choice([.repetition(.digit, least: 1, most: greatest.count - 1), digits(upTo: greatest)]),
        ])
    }

    /// The digits of a number up to a maximum, with as many digits as the maximum.
    private static func digits(upTo greatest: ArraySlice<UInt8>) -> Self {
        guard let first = greatest.first else { return .sequence([]) }
        let rest = greatest.dropFirst()
        let equal = Self.sequence([.byte(ByteSet(first...first)), digits(upTo: rest)])
        guard first > 0x30 else { return equal }
        return .choice([equal, .sequence([.byte(ByteSet(0x30...first - 1)), digit.times(rest.count)])])
    }

    /// A decimal number of any size.
    fileprivate static let number = Self.sequence([
        .anyByte(of: "-").optional, digit.atLeast(1), .sequence([.anyByte(of: "."), digit.atLeast(1)]).optional,
        .sequence([.anyByte(of: "eE"), .anyByte(of: "+-").optional, digit.atLeast(1)]).optional,
    ])

    /// A day, or a point in time, of ISO 8601.
    fileprivate static let date: Self = {
        let minute = twoDigits(0..<60)
        let zone = Self.choice([
            .anyByte(of: "Z"), .sequence([.anyByte(of: "+-"), twoDigits(0..<24), .anyByte(of: ":"), minute]),
        ])
        let fraction = Self.sequence([.anyByte(of: "."), .repetition(.digit, least: 1, most: 9)])
        let time = Self.sequence([
            .anyByte(of: "T"), twoDigits(0..<24), .anyByte(of: ":"), minute, .anyByte(of: ":"), minute,
            fraction.optional, zone,
        ])
        return .sequence([day, time.optional])
    }()

    /// A day of the Gregorian calendar, from the year 0000 to 9999.
    private static let day: Self = {
        let leapPairs = (0..<100).filter { $0 % 4 == 0 }
        let leapYears = Self.choice([
            .sequence([digit.times(2), twoDigits(leapPairs.filter { $0 != 0 })]),
            .sequence([twoDigits(leapPairs), .text("00".utf8)]),
        ])
        func days(_ months: [Int], _ count: Int) -> Self {
            .sequence([.anyByte(of: "-"), twoDigits(months), .anyByte(of: "-"), twoDigits(1..<count + 1)])
        }
        let everyYear = Self.choice([
            days([1, 3, 5, 7, 8, 10, 12], 31), days([4, 6, 9, 11], 30), days([2], 28),
        ])
        return .choice([.sequence([digit.times(4), everyYear]), .sequence([leapYears, .text("-02-29".utf8)])])
    }()

    /// A number below 100, with two digits.
    private static func twoDigits(_ numbers: some Sequence<Int>) -> Self {
        .choice(numbers.map { .text([0x30 + UInt8($0 / 10), 0x30 + UInt8($0 % 10)]) })
    }

    /// A UUID with hyphens.
    fileprivate static let uuid: Self = {
        let groups = [8, 4, 4, 4, 12].map { hexadecimalDigit.times($0) }
        return .sequence(Array(groups.map { [$0] }.joined(separator: [.anyByte(of: "-")])))
    }()

    private static let hexadecimalDigit = Self.byte(ByteSet(0x30...0x39, 0x41...0x46, 0x61...0x66))

    /// An absolute URL.
    fileprivate static let url: Self = {
        let letters = ByteSet(0x41...0x5A, 0x61...0x7A)
        let scheme = Self.sequence([
            .byte(letters), .byte(letters.union(ByteSet(0x30...0x39)).union(ByteSet("+-."))).atLeast(0),
        ])
        let escape = Self.sequence([.anyByte(of: "%"), hexadecimalDigit, hexadecimalDigit])
        // Without the spaces and control characters of Unicode: the gaps between the ranges.
        let scalars: [ClosedRange<UInt32>] = [
            0xA1...0x167F, 0x1681...0x1FFF, 0x200B...0x2027, 0x202A...0x202E, 0x2030...0x205E, 0x2060...0x2FFF,
            0x3001...0x10_FFFF,
        ]
        let character = Self.choice(
            [.byte(ByteSet(0x21...0x7E).subtracting(ByteSet("%"))), escape] + scalars.map { .scalar(in: $0) })
        return .sequence([scheme, .anyByte(of: ":"), character.atLeast(1)])
    }()

    /// Base64 or base64url: bits outside of whole bytes are zero.
    fileprivate static let data: Self = {
        let common = ByteSet(0x30...0x39, 0x41...0x5A, 0x61...0x7A)
        return .choice(
            [ByteSet("+/"), ByteSet("-_")].map { marks in
                let digit = Self.byte(common.union(marks))
                // The digits whose last four bits, or whose last two, are zero.
                let oneByte = Self.sequence([digit, .anyByte(of: "AQgw")])
                let twoBytes = Self.sequence([digit, digit, .anyByte(of: "AEIMQUYcgkosw048")])
                let blocks = digit.times(4)
                return .choice([
                    blocks.atLeast(1),
                    .sequence([blocks.atLeast(0), oneByte, .text("==".utf8).optional]),
                    .sequence([blocks.atLeast(0), twoBytes, .text("=".utf8).optional]),
                ])
            })
    }()
}
