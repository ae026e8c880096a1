/// An immutable list whose elements are used in place.
///
/// The execution calls stages through it, without copying them and without reference counting, which would cost an atomic
/// operation for each stage.
struct ConstantList<Element: Sendable>: Sendable {
    private final class Box: Sendable {
        let element: Element

        init(_ element: Element) {
            self.element = element
        }
    }

    private let boxes: [Box]
    /// The same boxes, which ``boxes`` keeps alive.
    private let references: [Unmanaged<Box>]

    /// Creates a list.
    init(_ elements: [Element]) {
        boxes = elements.map(Box.init)
        references = boxes.map(Unmanaged.passUnretained)
    }

    /// The number of elements.
    var count: Int { references.count }

    /// Calls a function with an element.
    @inline(__always)
    func withElement<Result>(at index: Int, _ body: (borrowing Element) -> Result) -> Result {
        references[index]._withUnsafeGuaranteedRef { body($0.element) }
    }
}
