/// Why routes make no router.
public struct RouterError: Error, Hashable, Sendable {
    /// All that is wrong: each with its place in the source, and what helps.
    public let faults: [String]
}

extension RouterError: CustomStringConvertible {
    /// A line for each fault.
    public var description: String { faults.joined(separator: "\n") }
}
