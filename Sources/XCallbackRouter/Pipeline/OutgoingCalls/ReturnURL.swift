package import XCallbackURL
import XCallbackWire

/// The URLs with which another application answers a call: `xcallback://x-callback-url/return/TOKEN/success`.
package enum ReturnURL {
    /// The prefix of the action of every return URL.
    static let word = "return"
    /// The suffix of a return URL whose query is in the encoding of HTML forms.
    static let formMark = "-form"
    /// The characters that end a part of a return URL.
    static let separators = "/?&#"

    /// Returns the items that another application needs to answer a call.
    ///
    /// - Parameters:
    ///   - token: The token of the call.
    ///   - url: The URL of the call, with its query: its own `x-source` stays.
    ///   - readsForm: Whether `+` in the application's answer is a space.
    /// - Returns: `x-source`, `x-success`, `x-error`, and `x-cancel`.
    package static func items(
        token: String, for url: borrowing ActionURL, readingForm readsForm: Bool = false
    ) -> QueryItems {
        let base = "\(CallbackRules.answerScheme)://x-callback-url/\(word)/\(token)"
        let mark = readsForm ? formMark : ""
        return [
            "x-source": url.source ?? CallbackRules.answerScheme, "x-success": "\(base)/success\(mark)",
            "x-error": "\(base)/error\(mark)", "x-cancel": "\(base)/cancel\(mark)",
        ]
    }

    /// Whether a URL is a return URL, whatever follows its token.
    package static func isOne(_ url: Span<UInt8>) -> Bool { token(in: url) != nil }

    /// Finds the token in a return URL; nil if the URL is none.
    ///
    /// All spellings count that desktops make of such a URL: with any number of slashes after the scheme.
    static func token(in url: Span<UInt8>) -> Range<Int>? {
        var position = 0
        func skip(_ word: String) -> Bool {
            let end = position + word.utf8.count
            guard end <= url.count, areEqualIgnoringCase(url.extracting(position..<end), word.utf8.span) else {
                return false
            }
            position = end
            return true
        }
        guard skip("\(CallbackRules.answerScheme):") else { return nil }
        while skip("/") {}
        if skip("x-callback-url/") { while skip("/") {} }
        guard skip("\(word)/") else { return nil }
        let start = position
        while position < url.count, !separators.utf8.contains(url[position]) { position += 1 }
        return position > start ? start..<position : nil
    }
}

extension Route {
    /// The route of return URLs, in every pipeline.
    ///
    /// It is also open to requests from the desktop: the token proves that they were requested.
    private static let callReturn: Route = {
        do {
            let pattern = try RoutePattern("/\(ReturnURL.word)/:token/:end")
            let stages = Stages(handler: NamedStage(.immediate(ReturnHandler()), name: ReturnURL.word))
            return Route(scheme: CallbackRules.answerScheme, pattern: pattern, reach: .all, chain: Chain(stages))
        } catch {
            // Cannot fail: the pattern is a constant.
            preconditionFailure("the pattern of return URLs: \(error)")
        }
    }()

    /// The name of return URLs in request counts.
    package static var callReturnName: String { callReturn.name }

    /// The route of a request with a foreign scheme, if its URL is a return URL; otherwise nil.
    static func callReturn(for request: borrowing Request) -> Route? {
        request.returned == nil ? nil : callReturn
    }
}

extension Request {
    /// The answer of another application to a call, if the URL is a return URL.
    var returned: ReturnedAnswer? {
        get { data[ReturnURL.word] as? ReturnedAnswer }
        set { data[ReturnURL.word] = newValue }
    }

    /// Makes a return URL the URL of the request, without the items of the answer, which can be long and are private.
    ///
    /// - Parameters:
    ///   - line: The URL as received.
    ///   - maximumItems: The maximum number of items of the answer.
    /// - Returns: Whether it is a return URL.
    mutating func receiveReturn(_ line: Span<UInt8>, maximumItems: Int) -> Bool {
        guard let answer = ReturnedAnswer(line, maximumItems: maximumItems) else { return false }
        let end =
            switch answer.response {
            case .cancel: "cancel"
            case .error: "error"
            case .success, .redirect: "success"
            }
        var text = ByteBuffer()
        text.append("\(CallbackRules.answerScheme)://x-callback-url/\(ReturnURL.word)/".utf8.span)
        text.append(percentEncoding: answer.token.utf8.span)
        text.append("/\(end)".utf8.span)
        guard (try? url.parse(text.contents.span)) != nil else { return false }
        returned = answer
        return true
    }
}

/// Passes the answers of other applications to the calls that wait for them.
private struct ReturnHandler: Handler {
    func handle(_ request: Request, _ host: any StageHost) -> Response {
        guard let answer = request.returned else { return .error(.unknownAction) }
        let refusal = host.finishCall(answer.token, from: request.peer.userID, with: answer.response)
        return refusal.map { .error($0) } ?? .success(QueryItems())
    }

    func plan(for request: Request) -> StagePlan {
        StagePlan("answers the call that waits under its token, if there is one")
    }
}
