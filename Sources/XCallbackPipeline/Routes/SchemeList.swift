import XCallbackWire

/// A few schemes, searched linearly for every URL.
struct SchemeList {
    /// The schemes in one buffer, without anything between them.
    private var text: [UInt8] = []
    private var ranges: [Range<Int>] = []

    /// Creates a list of schemes.
    init(_ schemes: [String]) {
        for scheme in schemes {
            let start = text.count
            text += scheme.utf8
            ranges.append(start..<text.count)
        }
    }

    /// Whether a scheme is in the list, ignoring case.
    func contains(_ scheme: Span<UInt8>) -> Bool { firstIndex(of: scheme) != nil }

    /// The position of a scheme in the list, ignoring case.
    func firstIndex(of scheme: Span<UInt8>) -> Int? {
        let text = text.span
        return ranges.firstIndex { $0.count == scheme.count && areEqualIgnoringCase(text.extracting($0), scheme) }
    }
}
