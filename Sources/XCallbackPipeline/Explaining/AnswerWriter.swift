import XCallbackBytes
import XCallbackURL

/// Writes the answers that a request can get, as an explanation shows them.
struct AnswerWriter {
    private let url: ActionURL
    private var callbacks = Callbacks()

    /// Creates a writer.
    ///
    /// - Parameters:
    ///   - url: The URL that was received.
    ///   - rules: Which URLs may take answers.
    ///   - origin: The way on which it came in.
    init(_ url: ActionURL, _ rules: CallbackRules, _ origin: Origin) {
        self.url = url
        do throws(CallbackError) {
            try callbacks.check(url, rules, origin)
        } catch {
            // Whoever began the request has the same error; the callbacks that were checked before it hold.
        }
    }

    /// The answers for all outcomes: only the error after a fault of the URL, only the redirect where that is the end.
    func answers(for response: Response?, isFaulty: Bool) -> [Explanation.Answer] {
        let outcomes: [Explanation.Answer.Outcome] =
            if case .redirect? = response { [.redirect] } else { isFaulty ? [.error] : [.success, .error, .cancel] }
        return outcomes.map { outcome in
            if let response, response.kind == outcome {
                return Explanation.Answer(outcome: outcome, url: text(of: response), isComplete: true)
            }
            let url = outcome == .error ? errorURL : text(of: outcome == .success ? .success(QueryItems()) : .cancel)
            return Explanation.Answer(outcome: outcome, url: url, isComplete: outcome == .cancel)
        }
    }

    private func text(of response: Response) -> String {
        var output = ByteBuffer()
        PendingAnswer().write(response, to: callbacks, of: url, into: &output)
        return String(utf8: output.bytes.span.extracting(0..<output.count))
    }

    /// Where an error goes to, without a code and a message.
    private var errorURL: String {
        guard let place = callbacks.error else { return "\(CallbackRules.answerScheme)://x-callback-url/error" }
        return String(utf8: url.storage.bytes.span.extracting(place.range.range))
    }
}

extension Response {
    /// Which of the outcomes it is.
    package var kind: Explanation.Answer.Outcome {
        switch self {
        case .success: .success
        case .error: .error
        case .cancel: .cancel
        case .redirect: .redirect
        }
    }
}
