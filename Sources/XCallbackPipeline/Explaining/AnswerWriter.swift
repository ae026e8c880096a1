import XCallbackBytes
import XCallbackURL

/// Writes the possible answers of a request, as an explanation shows them.
struct AnswerWriter {
    private let url: ActionURL
    private var callbacks = Callbacks()

    /// Creates a writer.
    ///
    /// - Parameters:
    ///   - url: The URL that was received.
    ///   - rules: The rules for the URLs that receive answers.
    ///   - origin: The origin of the request.
    init(_ url: ActionURL, _ rules: CallbackRules, _ origin: Origin) {
        self.url = url
        do throws(CallbackError) {
            try callbacks.check(url, rules, origin)
        } catch {
            // The sender of the request gets the same error; callbacks that were checked before it are valid.
        }
    }

    /// The answers for all outcomes: only the error after an invalid URL, only the redirect if the request ends in one.
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

    /// The target of an error, without a code and a message.
    private var errorURL: String {
        guard let place = callbacks.error else { return "\(CallbackRules.answerScheme)://x-callback-url/error" }
        return String(utf8: url.storage.bytes.span.extracting(place.range.range))
    }
}

extension Response {
    /// The outcome of the response.
    package var kind: Explanation.Answer.Outcome {
        switch self {
        case .success: .success
        case .error: .error
        case .cancel: .cancel
        case .redirect: .redirect
        }
    }
}
