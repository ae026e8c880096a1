/// An array that is reused for each request: emptying it keeps the memory and costs nothing.
@usableFromInline
package struct ReusableArray<Element: Sendable>: Sendable {
    /// The memory; elements at ``count`` and beyond are undefined.
    @usableFromInline package var elements: [Element] = []
    /// The number of elements.
    @usableFromInline package var count = 0

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

    /// Removes the first element; there must be one.
    package mutating func removeFirst() {
        for index in 1..<count { elements[index - 1] = elements[index] }
        count -= 1
    }

    /// The indices of the elements.
    @inlinable
    package var indices: Range<Int> { 0..<count }

    /// The element at an index.
    @inlinable
    package subscript(index: Int) -> Element {
        get { elements[index] }
        set { elements[index] = newValue }
    }
}

extension ReusableArray {
    /// Calls a function that writes the elements, again with more memory until all of them fit.
    ///
    /// - Parameters:
    ///   - filler: Any element, for memory that is not written yet.
    ///   - write: The function; it writes the same elements each time.
    /// - Throws: The error of the function.
    @inlinable @inline(__always)
    package mutating func rewrite<Failure: Error>(
        filler: @autoclosure () -> Element, _ write: (inout ElementWriter<Element>) throws(Failure) -> Void
    ) throws(Failure) {
        count = 0
        while true {
            let needed = try elements.withUnsafeMutableBufferPointer { elements throws(Failure) in
                var writer = ElementWriter(elements)
                try write(&writer)
                return writer.count
            }
            if needed <= elements.count { return count = needed }
            makeRoom(for: needed, filler())
        }
    }

    @usableFromInline @inline(never)
    package mutating func makeRoom(for needed: Int, _ filler: Element) {
        elements.append(contentsOf: repeatElement(filler, count: max(needed, 8) - elements.count))
    }
}

/// Writes elements sequentially into memory that may be too small: elements that do not fit are only counted.
@usableFromInline
package struct ElementWriter<Element> {
    @usableFromInline let target: UnsafeMutableBufferPointer<Element>
    /// The number of elements, including those that did not fit.
    @usableFromInline package var count = 0

    @inlinable @inline(__always)
    package init(_ target: UnsafeMutableBufferPointer<Element>) {
        self.target = target
    }

    /// Starts again.
    @inlinable @inline(__always)
    package mutating func restart() {
        count = 0
    }

    /// Writes an element if there is room.
    @inlinable @inline(__always)
    package mutating func append(_ element: Element) {
        if count < target.count { target[count] = element }
        count &+= 1
    }
}
