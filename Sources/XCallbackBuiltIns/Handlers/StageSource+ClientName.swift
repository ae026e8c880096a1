import XCallbackConfiguration

extension StageSource {
    /// Returns the client name or topic that a handler delivers or publishes to; nil after a fault.
    func clientName(_ expectation: String) -> String? {
        // Known, even if the policies in it are not decoded because of a fault in the name.
        _ = keys?.node("receivers")
        guard let name = requiredNode(expectation)?.string(faults) else { return nil }
        let isPlain = name.utf8.allSatisfy { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "-._".utf8.contains(byte)
        }
        guard isPlain, (1...128).contains(name.utf8.count) else {
            faults.report(
                "expected \(expectation) of letters, digits, '-', '.' and '_', at most 128, found \(name.quoted)",
                at: node?.place ?? place)
            return nil
        }
        return name
    }
}
