/// An array that serves one request after the other: emptying it keeps the memory and costs nothing.
@usableFromInline
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
    @inlinable @inline(__always)
    package mutating func append(_ element: Element) {
        if count < elements.count { elements[count] = element } else { grow(by: element) }
        count += 1
    }

    @usableFromInline @inline(never)
    package mutating func grow(by element: Element) {
        elements.append(element)
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
