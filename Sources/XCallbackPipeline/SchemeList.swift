import XCallbackURL

/// A few schemes in one buffer, each with its colon: they are looked through for every URL.
struct SchemeList {
    private let bytes: [UInt8]

    init(_ schemes: [String]) {
        bytes = schemes.flatMap { Array($0.utf8) + [UInt8(ascii: ":")] }
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
        for end in list.indices where list[end] == UInt8(ascii: ":") {
            if areEqualIgnoringCase(list.extracting(start..<end), scheme) { return index }
            start = end + 1
            index += 1
        }
        return nil
    }
}
