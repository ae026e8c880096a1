import XCallbackBytes
import XCallbackURL

/// A few schemes, searched linearly for every URL.
struct SchemeList {
    private let names: [[UInt8]]
    /// The same schemes in the form for comparison.
    private let keys: [SchemeKey]
    /// A bit for each length below 64 that occurs: most schemes are ruled out by their length.
    private let lengths: UInt64

    /// Creates a list of schemes.
    init(_ schemes: [String]) {
        names = schemes.map { Array($0.utf8) }
        keys = names.map { SchemeKey($0.span) }
        lengths = keys.reduce(0) { $0 | 1 << UInt64(min($1.count, 63)) }
    }

    /// Whether a scheme is in the list, ignoring case.
    @inline(__always)
    func contains(_ scheme: Span<UInt8>) -> Bool {
        firstIndex(of: scheme) != nil
    }

    /// The position of a scheme in the list, ignoring case.
    @inline(__always)
    func firstIndex(of scheme: Span<UInt8>) -> Int? {
        lengths >> UInt64(min(scheme.count, 63)) & 1 == 1 ? search(scheme) : nil
    }

    private func search(_ scheme: Span<UInt8>) -> Int? {
        let key = SchemeKey(scheme)
        let keys = keys.span
        for index in keys.indices where keys[unchecked: index] == key {
            if key.isWhole { return index }
            let name = names[index]
            if areEqualIgnoringCase(name.span, scheme) { return index }
        }
        return nil
    }
}

/// A scheme in lower case, as numbers for fast comparison.
private struct SchemeKey: Equatable {
    let count: Int
    private let start: UInt64
    private let end: UInt64

    /// Whether equal numbers mean equal schemes; otherwise they are only the beginning and the end.
    var isWhole: Bool { count <= 16 }

    /// Folds the bytes of a scheme.
    @inline(__always)
    init(_ scheme: Span<UInt8>) {
        count = scheme.count
        let bytes = scheme.bytes
        // This bit makes a letter lower case; every other byte of a scheme already has it.
        let fold: UInt64 = 0x2020_2020_2020_2020
        // All loads stay within the scheme; if it is shorter than two loads, these overlap.
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
    }
}
