extension ActionURL: CustomStringConvertible, CustomReflectable {
    /// The URL as it was received, but for what a policy keeps secret.
    public var description: String { received }

    /// The URL as it was received, but for what a policy keeps secret.
    public var customMirror: Mirror { Mirror(self, children: ["received": received]) }
}

extension Callback: CustomStringConvertible, CustomReflectable {
    /// The URL as it was given.
    public var description: String { text }

    /// The URL as it was given.
    public var customMirror: Mirror { Mirror(self, children: ["text": text]) }
}
