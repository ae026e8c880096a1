import XCallbackURL

/// A few schemes: they are looked through for every URL.
struct SchemeList {
    private let names: [SchemeName]
    /// A bit for each length that occurs below 64: most schemes are told by theirs.
    private let lengths: UInt64

    /// Creates a list of schemes.
    init(_ schemes: [String]) {
        names = schemes.map { SchemeName(Array($0.utf8).span) }
        lengths = names.reduce(0) { $0 | 1 << UInt64(min($1.count, 63)) }
    }

    /// Whether a scheme is in the list; it is compared without case.
    @inline(__always)
    func contains(_ scheme: Span<UInt8>) -> Bool {
        firstIndex(of: scheme) != nil
    }

    /// The position of a scheme in the list; it is compared without case.
    @inline(__always)
    func firstIndex(of scheme: Span<UInt8>) -> Int? {
        lengths >> UInt64(min(scheme.count, 63)) & 1 == 1 ? search(SchemeName(scheme)) : nil
    }

    private func search(_ name: SchemeName) -> Int? {
        for index in names.indices where names[index] == name { return index }
        return nil
    }
}

/// A scheme in lower case, as numbers that are compared at once.
private struct SchemeName: Equatable {
    let count: Int
    private let start: UInt64
    private let end: UInt64
    /// What lies between start and end; empty in all but very long schemes.
    private let middle: [UInt8]

    /// Folds the bytes of a scheme.
    init(_ scheme: Span<UInt8>) {
        count = scheme.count
        let bytes = scheme.bytes
        // This bit makes a letter a lower-case one, and every other byte of a scheme has it already.
        let fold: UInt64 = 0x2020_2020_2020_2020
        // All loads stay within the scheme; where it has fewer bytes than two loads, these overlap.
        switch scheme.count {
        case 8...:
            start = bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: 0, as: UInt64.self) | fold
            end = bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: count - 8, as: UInt64.self) | fold
        case 4...:
            start = UInt64(bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: 0, as: UInt32.self)) | fold
            end = UInt64(bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: count - 4, as: UInt32.self)) | fold
        case 1...:
            start = UInt64(scheme[0]) << 8 | UInt64(scheme[count / 2]) | fold
            end = UInt64(scheme[count - 1]) | fold
        default:
            start = 0
            end = 0
        }
        middle = scheme.count > 16 ? (8..<count - 8).map { scheme[$0] | 0x20 } : []
    }
}
