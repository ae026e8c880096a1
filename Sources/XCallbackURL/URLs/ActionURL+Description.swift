extension ActionURL: CustomStringConvertible, CustomReflectable {
    /// The URL as received, without values that a policy keeps secret.
    public var description: String { received }

    /// The URL as received, without values that a policy keeps secret.
    public var customMirror: Mirror { Mirror(self, children: ["received": received]) }
}

extension Callback: CustomStringConvertible, CustomReflectable {
    /// The URL as given.
    public var description: String { text }

    /// The URL as given.
    public var customMirror: Mirror { Mirror(self, children: ["text": text]) }
}
