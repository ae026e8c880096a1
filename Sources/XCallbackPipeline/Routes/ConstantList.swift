/// A list that never changes, whose elements are used where they lie.
///
/// The walk calls stages through it: without a copy, whatever a stage holds, and without counting a reference, which
/// would be an atomic operation for each.
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

    /// How many elements there are.
    var count: Int { references.count }

    /// Calls a function with an element.
    @inline(__always)
    func withElement<Result>(at index: Int, _ body: (borrowing Element) -> Result) -> Result {
        references[index]._withUnsafeGuaranteedRef { body($0.element) }
    }
}
