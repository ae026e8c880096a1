/// A file of a configuration that was read: what messages call it, and its text.
package struct ConfigurationFile: Hashable, Sendable {
    /// What messages call it; its path, if other paths begin at it.
    package let name: String
    /// Its text.
    package var text: String

    /// Creates a file.
    package init(_ name: String, _ text: String) {
        self.name = name
        self.text = text
    }
}
