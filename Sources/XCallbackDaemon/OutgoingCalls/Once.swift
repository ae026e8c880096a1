/// A function of which only the first call counts; it is called on the event loop.
final class Once<Value> {
    private var body: ((Value) -> Void)?

    init(_ body: @escaping (Value) -> Void) {
        self.body = body
    }

    /// Whether it was called.
    var isTaken: Bool { body == nil }

    /// Calls the function if it was not called before.
    ///
    /// - Returns: Whether it was called now.
    @discardableResult
    func take(_ value: Value) -> Bool {
        guard let body = body.take() else { return false }
        body(value)
        return true
    }
}
