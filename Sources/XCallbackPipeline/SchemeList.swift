import XCallbackURL

/// A few schemes in one buffer, each behind its length: they are looked through for every URL.
struct SchemeList {
    private let bytes: [UInt8]
    /// A bit for each length that occurs below 64: most schemes are told by theirs.
    private let lengths: UInt64

    /// Creates a list of schemes; one of more than 255 bytes is in none.
    init(_ schemes: [String]) {
        lengths = schemes.reduce(0) { $0 | 1 << UInt64(min($1.utf8.count, 63)) }
        bytes = schemes.flatMap { [UInt8(clamping: $0.utf8.count)] + Array($0.utf8.prefix(255)) }
    }

    /// Whether a scheme is in the list; it is compared without case.
    func contains(_ scheme: Span<UInt8>) -> Bool {
        firstIndex(of: scheme) != nil
    }

    /// The position of a scheme in the list; it is compared without case.
    @inline(__always)
    func firstIndex(of scheme: Span<UInt8>) -> Int? {
        lengths >> UInt64(min(scheme.count, 63)) & 1 == 1 ? search(scheme) : nil
    }

    private func search(_ scheme: Span<UInt8>) -> Int? {
        let list = bytes.span
        var index = 0
        var start = 0
        while start < list.count {
            let end = start + 1 + Int(list[start])
            if end - start - 1 == scheme.count,
                areEqualIgnoringCase(list.extracting(start + 1..<end), scheme)
            {
                return index
            }
            start = end
            index += 1
        }
        return nil
    }
}
