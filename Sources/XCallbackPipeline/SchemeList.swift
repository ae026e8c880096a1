import XCallbackURL

/// A few schemes in one buffer, each behind its length: they are looked through for every URL.
struct SchemeList {
    private let bytes: [UInt8]

    /// Creates a list of schemes; one of more than 255 bytes is in none.
    init(_ schemes: [String]) {
        bytes = schemes.flatMap { [UInt8(clamping: $0.utf8.count)] + Array($0.utf8.prefix(255)) }
    }

    /// Whether a scheme is in the list; it is compared without case.
    func contains(_ scheme: Span<UInt8>) -> Bool {
        firstIndex(of: scheme) != nil
    }

    /// The position of a scheme in the list; it is compared without case.
    func firstIndex(of scheme: Span<UInt8>) -> Int? {
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
