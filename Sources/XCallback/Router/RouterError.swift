/// The reason why routes do not form a valid router.
public struct RouterError: Error, Hashable, Sendable {
    /// All faults, each with its source location and the remedy.
    public let faults: [String]
}

extension RouterError: CustomStringConvertible {
    /// One line per fault.
    public var description: String { faults.joined(separator: "\n") }
}
