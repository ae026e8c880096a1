/// A function that runs only on the first call; called on the event loop.
final class Once<Value> {
    private var body: ((Value) -> Void)?

    init(_ body: @escaping (Value) -> Void) {
        self.body = body
    }

    /// Whether the function was called.
    var isTaken: Bool { body == nil }

    /// Calls the function if it was not called before.
    ///
    /// - Returns: Whether this call ran the function.
    @discardableResult
    func take(_ value: Value) -> Bool {
        guard let body = body.take() else { return false }
        body(value)
        return true
    }
}
