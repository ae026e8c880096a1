/// A value of a configuration file with its place.
package struct Node: Sendable {
    /// A parsed file, which all its nodes share.
    final class Document: Sendable {
        let values: ValueList

        init(_ values: ValueList) {
            self.values = values
        }
    }

    let document: Document
    /// The index of the value; never that of an alias.
    let index: Int

    /// Creates a node for a value, or for the target of an alias.
    init(_ document: Document, _ index: Int) {
        self.document = document
        self.index = document.values.resolved(index)
    }

    /// The start of the value; values that an alias repeats have the place of the original.
    package var place: Place { document.values.place(of: index) }

    /// The content.
    package var content: Content {
        switch document.values.values[index].kind {
        case .sequence: .sequence(Items(of: self))
        case .mapping: .mapping(Members(of: self))
        case .plain, .quoted, .alias: .scalar(Scalar(node: self))
        }
    }

    /// Whether it is the same value at the same place.
    package func isIdentical(to other: Node) -> Bool { document === other.document && index == other.index }

    /// The content of a value.
    package enum Content: Sendable {
        /// A scalar, whose type is not determined yet.
        case scalar(Scalar)
        /// A list of values.
        case sequence(Items)
        /// Keys and values in the order of the file, without duplicate keys.
        case mapping(Members)
    }

    /// The text of a scalar; its reader determines the type.
    package struct Scalar: Sendable {
        fileprivate let node: Node

        /// The text without quotes, with escapes resolved.
        package var text: String { node.document.values.text(of: node.index) }
        /// Whether it is quoted, a block, or tagged as a string, so that `"null"` is the word.
        package var isQuoted: Bool { node.document.values.values[node.index].kind == .quoted }
        /// Whether it is null: empty, `~` or `null` without quotes, in the three spellings of YAML.
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
        /// The place of the key.
        package var place: Place { name.place }
    }
}

extension Node {
    /// Whether it is null.
    package var isNull: Bool { document.values.isNull(index) }

    /// Whether it is a mapping without keys, like an empty file.
    var isEmptyMapping: Bool {
        let value = document.values.values[index]
        return value.kind == .mapping && value.count == 0
    }

    /// Whether it is a list.
    package var isList: Bool { document.values.values[index].kind == .sequence }

    /// Whether it is a mapping.
    package var isMapping: Bool { document.values.values[index].kind == .mapping }

    /// The description of the value, which follows “found” in a message.
    package var found: String { document.values.found(index) }
}
