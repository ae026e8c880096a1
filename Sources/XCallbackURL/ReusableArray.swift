/// An array that serves one request after the other: emptying it keeps the memory and costs nothing.
package struct ReusableArray<Element: Sendable>: Sendable {
    /// The memory; what lies at ``count`` and after it has no meaning.
    @usableFromInline package private(set) var elements: [Element] = []
    /// How many elements there are.
    @usableFromInline package private(set) var count = 0

    /// Creates an empty array.
    @inlinable
    package init() {}

    /// Removes all elements.
    @inlinable
    package mutating func removeAll() {
        count = 0
    }

    /// Appends an element.
    @inlinable
    package mutating func append(_ element: Element) {
        if count < elements.count {
            elements[count] = element
        } else {
            elements.append(element)
        }
        count += 1
    }

    /// The positions of the elements.
    @inlinable
    package var indices: Range<Int> { 0..<count }

    /// The element at a position.
    @inlinable
    package subscript(index: Int) -> Element {
        get { elements[index] }
        set { elements[index] = newValue }
    }
}
