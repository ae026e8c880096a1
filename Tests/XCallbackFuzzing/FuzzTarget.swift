import XCallbackTesting

/// What is fed with bytes that may be anything, to find some for which a property does not hold.
///
/// Each has a corpus in `Tests/Corpora`, in the folder of its name.
package enum FuzzTarget: String, CaseIterable, Sendable {
    /// What a client sends in lines.
    case lines
    /// What a client sends in Varlink.
    case varlink
    /// JSON.
    case json
    /// The text of a configuration and of a drop-in.
    case configuration
    /// Patterns, and the actions that they answer.
    case routes
    /// Routes of all syntaxes, and the explanations of URLs.
    case explanations
    /// Callbacks, and the answers that they take.
    case callbacks
    /// The output of a program.
    case programs
    /// What a client sends in the Model Context Protocol.
    case tools

    /// Checks what must hold for any input.
    ///
    /// - Parameter bytes: The input.
    /// - Throws: ``TestFailure`` if something does not hold. A trap is a finding, too.
    package func check(_ bytes: [UInt8]) throws {
        let input = FuzzInput(bytes)
        switch self {
        case .lines: try checkLines(input)
        case .varlink: try checkVarlink(input)
        case .json: try checkJSON(bytes)
        case .configuration: try checkConfiguration(input)
        case .routes: try checkRoutes(input)
        case .explanations: try checkExplanations(input)
        case .callbacks: try checkCallbacks(input)
        case .programs: try checkPrograms(input)
        case .tools: try checkToolServer(input)
        }
    }
}

/// Throws ``TestFailure`` with a text if a condition does not hold.
func check(_ condition: Bool, _ text: @autoclosure () -> String) throws(TestFailure) {
    if !condition { throw TestFailure(text()) }
}

extension [UInt8] {
    /// The bytes as a text for a person.
    var shown: String { String(decoding: self, as: UTF8.self).debugDescription }
}
