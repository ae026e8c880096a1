/// A value of a configuration file with its place.
package struct Node: Sendable {
    /// The value itself: loading copies nodes a lot, and a copy then counts one reference instead of several.
    private final class Box: Sendable {
        let place: Place
        let content: Content

        init(place: Place, content: Content) {
            self.place = place
            self.content = content
        }
    }

    private let box: Box

    /// Creates a value.
    package init(place: Place, content: Content) {
        box = Box(place: place, content: content)
    }

    /// Where it begins; values that an alias repeats keep the place of the original.
    package var place: Place { box.place }
    /// What it holds.
    package var content: Content { box.content }

    /// Whether it is the same value, standing at the same place.
    package func isIdentical(to other: Node) -> Bool { box === other.box }

    /// What a value holds.
    package enum Content: Sendable {
        /// A single value, not yet of a type.
        case scalar(Scalar)
        /// A list of values.
        case sequence([Node])
        /// Keys and their values in the order of the file, each key once.
        case mapping([Member])
    }

    /// The text of a single value; what reads it decides on its type.
    package struct Scalar: Hashable, Sendable {
        /// The text without its quotes, with escapes resolved.
        package let text: String
        /// Whether it is in quotes, a block, or tagged as text, so that `"null"` is the word.
        package let isQuoted: Bool

        /// Creates a single value.
        package init(text: String, isQuoted: Bool = false) {
            self.text = text
            self.isQuoted = isQuoted
        }

        /// Whether it stands for no value: nothing, `~` or `null` without quotes, in the three spellings of YAML.
        package var isNull: Bool {
            !isQuoted && (text.isEmpty || text == "~" || ["null", "Null", "NULL"].contains(text))
        }
    }

    /// A key of a mapping and its value.
    package struct Member: Sendable {
        /// The key.
        package let key: String
        /// Where the key stands.
        package let place: Place
        /// The value.
        package let value: Node

        /// Creates a key and its value.
        package init(key: String, place: Place, value: Node) {
            self.key = key
            self.place = place
            self.value = value
        }
    }
}

extension Node {
    /// Whether it stands for no value.
    package var isNull: Bool {
        guard case .scalar(let scalar) = content else { return false }
        return scalar.isNull
    }

    /// Whether it is a mapping without keys, as an empty file is one.
    var isEmptyMapping: Bool {
        guard case .mapping(let members) = content else { return false }
        return members.isEmpty
    }

    /// What it is, as a message says after “found”.
    package var found: String {
        switch content {
        case .scalar(let scalar): scalar.isNull ? "nothing" : scalar.text.quoted
        case .sequence: "a list"
        case .mapping: "a mapping"
        }
    }
}
