/// A file of a configuration: its name in messages, and its text.
package struct ConfigurationFile: Hashable, Sendable {
    /// The name in messages; a path if other paths are relative to it.
    package let name: String
    /// The text.
    package var text: String

    /// Creates a file.
    package init(_ name: String, _ text: String) {
        self.name = name
        self.text = text
    }
}
