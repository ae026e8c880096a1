import XCallbackPipeline
package import XCallbackURL

/// The daemon's answer to a URL, and what it means.
///
/// An answer is one URL. It is told what it means by the callbacks of the request, or by the daemon's own URLs for
/// outcomes that the request has no callback for. An answer is
/// - an *error* if it is the error callback with `errorCode`, a number, and `errorMessage` added;
/// - a *success* if it is the success callback with any items added, or none;
/// - a *cancel* if it is the cancel callback as it is;
/// - a *redirect* if it is anything else.
///
/// The first that fits counts. So whoever gives one URL for success and cancel cannot tell a cancel from a success
/// without items.
package struct Answer {
    /// What a request ended in.
    package enum Outcome: Hashable {
        /// The action was done; these are the items that it adds to the callback.
        case success(QueryItems)
        /// The action was not done.
        case error(CallbackError)
        /// The user did not want the action to be done.
        case cancel
        /// Another URL is to be opened in place of the request's.
        case redirect
    }

    /// The URL that the daemon answered.
    package let url: String
    /// What it means.
    package let outcome: Outcome
    /// Whether the URL is the daemon's own, so that only what it means is of interest.
    package let isDaemonsOwn: Bool

    /// Reads an answer.
    ///
    /// - Parameters:
    ///   - bytes: The answer, without the end of its line.
    ///   - request: What it answers.
    /// - Throws: ``Failure`` if it is no URL, so that no daemon can have sent it.
    package init(_ bytes: [UInt8], to request: OpenRequest) throws(Failure) {
        let answer: Callback
        do {
            answer = try Callback(bytes: bytes)
        } catch {
            throw Failure(.unreachable, "the answer has \(error): it does not come from xcallbackd")
        }
        url = answer.text
        let own = DaemonCallbacks.self
        if let outcome = Self.outcome(of: answer, request.success, request.error, request.cancel) {
            self.outcome = outcome
            isDaemonsOwn = false
        } else if let outcome = Self.outcome(of: answer, own.success, own.error, own.cancel) {
            self.outcome = outcome
            isDaemonsOwn = true
        } else {
            outcome = .redirect
            isDaemonsOwn = false
        }
    }

    /// What an answer means if it was made of one of three callbacks; else nil.
    private static func outcome(
        of answer: Callback, _ success: Callback?, _ error: Callback?, _ cancel: Callback?
    ) -> Outcome? {
        if let error = error?.items(addedIn: answer, count: 2).flatMap(CallbackError.init(items:)) {
            return .error(error)
        }
        if let items = success?.items(addedIn: answer) { return .success(items) }
        return answer == cancel ? .cancel : nil
    }
}

/// The daemon's own URLs for answers.
private enum DaemonCallbacks {
    static let success = make("success")
    static let error = make("error")
    static let cancel = make("cancel")

    private static func make(_ action: String) -> Callback? {
        do {
            return try Callback("\(CallbackRules.answerScheme)://x-callback-url/\(action)")
        } catch {
            // No input comes here: the text is made of three constants.
            preconditionFailure("the daemon's own URL has \(error)")
        }
    }
}

extension CallbackError {
    /// Reads the items that an error adds to a callback.
    fileprivate init?(items: QueryItems) {
        guard items.map(\.name) == ["errorCode", "errorMessage"], let number = items["errorCode"].flatMap({ Int($0) }),
            let message = items["errorMessage"]
        else { return nil }
        self.init(Code(rawValue: number), message)
    }
}
