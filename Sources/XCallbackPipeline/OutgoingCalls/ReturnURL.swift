import XCallbackBytes
import XCallbackRouting
package import XCallbackURL

/// The URLs with which another application answers a call: `xcallback://x-callback-url/return/TOKEN/success`.
package enum ReturnURL {
    /// The prefix of the action of every return URL.
    static let word = "return"
    /// The suffix of a return URL whose query is in the encoding of HTML forms.
    static let formMark = "-form"

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
}

extension Route {
    /// The route of return URLs, in every pipeline.
    ///
    /// It is also open to requests from the desktop: the token proves that they were requested.
    private static let callReturn = makeCallReturn(readsForms: false)
    /// The route of return URLs whose query is in the encoding of HTML forms.
    private static let formReturn = makeCallReturn(readsForms: true)

    private static func makeCallReturn(readsForms: Bool) -> Route {
        do {
            let pattern = try RoutePattern("/\(ReturnURL.word)/:token/:end")
            var stages = Stages(handler: NamedStage(.asynchronous(ReturnHandler()), name: ReturnURL.word))
            stages.middleware = [NamedStage(.immediate(ReturnMiddleware()), name: ReturnURL.word)]
            let route = Route(
                scheme: CallbackRules.answerScheme, pattern: pattern, reach: .all, readsForms: readsForms,
                stages: stages)
            route.countIndex = CountIndex.callReturn
            return route
        } catch {
            // Cannot fail: the pattern is a constant.
            preconditionFailure("the pattern of return URLs: \(error)")
        }
    }

    /// The name of return URLs in request counts.
    package static var callReturnName: String { callReturn.name }

    /// The route of a URL with a foreign scheme, if it is a return URL; otherwise nil.
    static func callReturn(for url: borrowing ActionURL) -> Route? {
        let scheme = url.storage.bytes.span.extracting(url.schemeRange)
        guard areEqualIgnoringCase(CallbackRules.answerScheme.utf8.span, scheme), url.oddHostOffset == nil else {
            return nil
        }
        let segments = url.segments
        guard segments.count == 3, segments[0] == ReturnURL.word else { return nil }
        return segments[2].hasSuffix(ReturnURL.formMark) ? formReturn : callReturn
    }
}

/// Receives the answers of other applications to calls.
private struct ReturnMiddleware: Middleware {
    func receive(_ request: inout Request, _ state: inout PipelineState) -> Step {
        let segments = request.url.segments
        guard segments.count == 3, let response = Response(returned: segments[2], request.parameters) else {
            return .answer(.error(.unknownAction))
        }
        request.data[ReturnURL.word] = state[OutgoingCalls.self].finish(
            segments[1], from: request.peer.userID, with: response)
        return .proceed
    }
}

/// Reports to another application whether its answer was taken, after its receiver has finished.
private struct ReturnHandler: AsyncHandler, ExplainedStage {
    func handle(_ request: Request) async -> Response {
        guard let taken = request.data[ReturnURL.word] as? OutgoingCalls.Taken else { return .error(.unwantedReturn) }
        await taken.completion?.value
        return .success(QueryItems())
    }

    func plan(for request: Request) -> StagePlan {
        StagePlan("answers the call that waits under its token, if there is one")
    }
}

extension Response {
    /// The answer of an application in a return URL; nil if the URL has none of the endings that calls use.
    fileprivate init?(returned end: String, _ items: QueryItems) {
        switch end.hasSuffix(ReturnURL.formMark) ? String(end.dropLast(ReturnURL.formMark.count)) : end {
        case "success": self = .success(items)
        case "error": self = .error(CallbackError(returned: items))
        case "cancel": self = .cancel
        default: return nil
        }
    }
}

extension CallbackError {
    fileprivate static let unwantedReturn = CallbackError(
        .refused, "No call waits for this answer: it is late, repeated or unknown.")

    /// The error of another application: its code has two spellings, and some have only a message.
    fileprivate init(returned items: QueryItems) {
        let code = items["errorCode"] ?? items["error-Code"]
        let message = items["errorMessage"] ?? items["error-Message"]
        self.init(
            code.flatMap { Int($0) }.map(Code.init(rawValue:)) ?? .internalFailure,
            message ?? "The application gave no reason.")
    }
}
