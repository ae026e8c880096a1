extension Node {
    /// The values of a list.
    package struct Items: Collection, Sendable {
        private let document: Document
        /// The index of the first value.
        package let startIndex: Int
        /// The index after the last value and its contents.
        package let endIndex: Int

        /// Creates the values of a list.
        init(of list: Node) {
            document = list.document
            startIndex = list.index + 1
            endIndex = document.values.index(after: list.index)
        }

        /// Creates a list with a single value.
        init(only value: Node) {
            document = value.document
            startIndex = value.index
            endIndex = document.values.index(after: value.index)
        }

        /// The value at an index.
        package subscript(index: Int) -> Node { Node(document, index) }

        /// Returns the index of the next value.
        package func index(after index: Int) -> Int { document.values.index(after: index) }

        /// Returns an iterator over the values.
        package func makeIterator() -> Iterator { Iterator(items: self, index: startIndex) }

        // The generic iterator of collections would use witness tables.
        /// Iterates over the values of a list.
        package struct Iterator: IteratorProtocol {
            fileprivate let items: Items
            fileprivate var index: Int

            /// Returns the next value; nil after the last one.
            package mutating func next() -> Node? {
                guard index < items.endIndex else { return nil }
                defer { index = items.index(after: index) }
                return items[index]
            }
        }
    }

    /// The keys of a mapping with their values, without duplicates.
    package struct Members: Collection, Sendable {
        private let document: Document
        /// The index of the first key.
        package let startIndex: Int
        /// The index after the last value and its contents.
        package let endIndex: Int
        /// The number of members.
        package let count: Int

        /// Creates the members of a mapping.
        init(of mapping: Node) {
            document = mapping.document
            endIndex = document.values.index(after: mapping.index)
            startIndex = document.values.key(from: mapping.index + 1, before: endIndex)
            count = Int(document.values.values[mapping.index].count)
        }

        /// The member with its key at an index.
        package subscript(index: Int) -> Member {
            Member(Node(document, index), Node(document, document.values.index(after: index)))
        }

        /// The value of the member with its key at an index.
        subscript(valueOf index: Int) -> Node { Node(document, document.values.index(after: index)) }

        /// Returns the index of the next key.
        package func index(after index: Int) -> Int {
            document.values.key(after: index, before: endIndex)
        }

        /// Returns an iterator over the members.
        package func makeIterator() -> Iterator { Iterator(members: self, index: startIndex) }

        // For the same reason as in `Items`.
        /// Iterates over the members of a mapping.
        package struct Iterator: IteratorProtocol {
            fileprivate let members: Members
            fileprivate var index: Int

            /// Returns the next member; nil after the last one.
            package mutating func next() -> Member? {
                guard index < members.endIndex else { return nil }
                defer { index = members.index(after: index) }
                return members[index]
            }
        }

        /// Finds a key: its index, and the number of members before it; nil if it is missing.
        func find(_ key: Span<UInt8>) -> (index: Int, position: Int)? {
            var (index, position) = (startIndex, 0)
            while index < endIndex {
                if document.values.isText(key, of: document.values.resolved(index)) { return (index, position) }
                index = document.values.key(after: index, before: endIndex)
                position += 1
            }
            return nil
        }
    }

    /// The elements of a list, or the node itself.
    package var elements: Items {
        document.values.values[index].kind == .sequence ? Items(of: self) : Items(only: self)
    }
}
