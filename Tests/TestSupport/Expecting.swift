package import Testing

/// Expects a value; a failure shows it.
///
/// `#expect` shows the values of an expression only if nothing in it throws or waits, so such a value is made before.
///
/// - Parameters:
///   - value: The value.
///   - expected: What it must be.
///   - comment: What else a failure shows.
///   - location: The place that a failure names.
package func expect<Value: Equatable>(
    _ value: Value, equals expected: Value, _ comment: @autoclosure () -> String = "",
    at location: SourceLocation = #_sourceLocation
) {
    guard value != expected else { return }
    record("found \(String(reflecting: value))\nexpected \(String(reflecting: expected))", comment(), at: location)
}

/// Expects that a condition holds for a value; a failure shows the value.
///
/// - Parameters:
///   - value: The value.
///   - comment: What else a failure shows.
///   - location: The place that a failure names.
///   - holds: The condition.
package func expect<Value>(
    _ value: Value, _ comment: @autoclosure () -> String = "", at location: SourceLocation = #_sourceLocation,
    where holds: (Value) throws -> Bool
) rethrows {
    guard try !holds(value) else { return }
    record("it does not hold for \(String(reflecting: value))", comment(), at: location)
}

private func record(_ failure: String, _ comment: String, at location: SourceLocation) {
    Issue.record("\(failure)\(comment.isEmpty ? "" : "\n\(comment)")", sourceLocation: location)
}
