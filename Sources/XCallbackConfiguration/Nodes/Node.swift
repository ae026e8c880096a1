/// A value of a configuration file with its place.
package struct Node: Sendable {
    /// A file that was read, as all nodes of it share it.
    final class Document: Sendable {
        let values: ValueList

        init(_ values: ValueList) {
            self.values = values
        }
    }

    let document: Document
    /// The index of the value; never that of an alias.
    let index: Int

    /// Creates a node of a value, or of what an alias repeats.
    init(_ document: Document, _ index: Int) {
        self.document = document
        self.index = document.values.resolved(index)
    }

    /// Where it begins; values that an alias repeats keep the place of the original.
    package var place: Place { document.values.place(of: index) }

    /// What it holds.
    package var content: Content {
        switch document.values.values[index].kind {
        case .sequence: .sequence(Items(of: self))
        case .mapping: .mapping(Members(of: self))
        case .plain, .quoted, .alias: .scalar(Scalar(node: self))
        }
    }

    /// Whether it is the same value, standing at the same place.
    package func isIdentical(to other: Node) -> Bool { document === other.document && index == other.index }

    /// What a value holds.
    package enum Content: Sendable {
        /// A single value, not yet of a type.
        case scalar(Scalar)
        /// A list of values.
        case sequence(Items)
        /// Keys and their values in the order of the file, each key once.
        case mapping(Members)
    }

    /// The text of a single value; what reads it decides on its type.
    package struct Scalar: Sendable {
        fileprivate let node: Node

        /// The text without its quotes, with escapes resolved.
        package var text: String { node.document.values.text(of: node.index) }
        /// Whether it is in quotes, a block, or tagged as text, so that `"null"` is the word.
        package var isQuoted: Bool { node.document.values.values[node.index].kind == .quoted }
        /// Whether it stands for no value: nothing, `~` or `null` without quotes, in the three spellings of YAML.
        package var isNull: Bool { node.isNull }
    }

    /// A key of a mapping and its value.
    package struct Member: Sendable {
        let name: Node
        /// The value.
        package let value: Node

        init(_ name: Node, _ value: Node) {
            self.name = name
            self.value = value
        }

        /// The key.
        package var key: String { name.document.values.text(of: name.index) }
        /// Where the key stands.
        package var place: Place { name.place }
    }
}

extension Node {
    /// Whether it stands for no value.
    package var isNull: Bool { document.values.isNull(index) }

    /// Whether it is a mapping without keys, as an empty file is one.
    var isEmptyMapping: Bool {
        let value = document.values.values[index]
        return value.kind == .mapping && value.count == 0
    }

    /// Whether it is a list.
    package var isList: Bool { document.values.values[index].kind == .sequence }

    /// Whether it is a mapping.
    package var isMapping: Bool { document.values.values[index].kind == .mapping }

    /// What it is, as a message says after “found”.
    package var found: String { document.values.found(index) }
}
