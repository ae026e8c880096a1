/// What was found about one thing.
struct Finding: CustomStringConvertible {
    /// How it is.
    enum State {
        case fine, odd, wrong
    }

    let state: State
    private let text: String
    private let advice: String?

    /// Creates a finding.
    ///
    /// - Parameters:
    ///   - state: How it is.
    ///   - text: What was found.
    ///   - advice: What to do.
    init(_ state: State, _ text: String, advice: String? = nil) {
        self.state = state
        self.text = text
        self.advice = advice
    }

    /// Creates a finding of a failure, whose first line says what is wrong, and the others what to do.
    init(_ failure: Failure) {
        let lines = failure.message.split(separator: "\n", maxSplits: 1)
        self.init(.wrong, lines.first.map(String.init) ?? "", advice: lines.dropFirst().first.map(String.init))
    }

    /// A line, and one for the advice.
    var description: String {
        let mark =
            switch state {
            case .fine: "ok   "
            case .odd: "note "
            case .wrong: "FAULT"
            }
        return "\(mark) \(text.withVisibleControls)" + (advice.map { "\n      \($0.withVisibleControls)" } ?? "")
    }
}
