import XCallbackBytes
import XCallbackEventLoop
import XCallbackJSON
import XCallbackURL
import XCallbackVarlink

/// A URL that the desktop has handed over on the bus: a client of the daemon within it, which asks once and then opens
/// what is to be opened.
final class DesktopRequest: Session {
    let account = Account()
    private let url: String
    private let token: String?
    private let desktop: Desktop
    private let service: RequestService
    private var conversation = VarlinkClientSession()
    private var isSent = false
    private var isAnswered = false

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - url: The URL.
    ///   - token: What lets the application that takes the answer have the focus.
    ///   - desktop: What opens that.
    ///   - service: The service that has to know when the last connection is gone.
    init(_ url: String, token: String?, _ desktop: Desktop, _ service: RequestService) {
        self.url = url
        self.token = token
        self.desktop = desktop
        self.service = service
    }

    func proceed(
        _ input: Span<UInt8>, isAtEnd: Bool, _ output: inout ByteBuffer, on loop: isolated EventLoop
    ) -> Progress {
        guard isSent else {
            isSent = true
            var call: [UInt8] = []
            conversation.call(
                "\(RouterInterface.name).Open",
                ["url": .string(url.withEncodedBlanks), "origin": .string("desktop"), "follow": .bool(true)],
                into: &call)
            output.append(call.span)
            return Progress(consumed: 0, need: .input)
        }
        switch conversation.next(in: input, from: 0) {
        case .needsInput(let position): return Progress(consumed: position, need: .input)
        case .reply(let reply, let next):
            if case .success(let answer) = reply.result {
                isAnswered = true
                finish(answer, on: loop)
            }
            return Progress(consumed: next, need: .close)
        case .close: return Progress(consumed: input.count, need: .close)
        }
    }

    func closed(on loop: isolated EventLoop) {
        if !isAnswered {
            desktop.tell("\(scheme): the URL was not handled", "The daemon is over its limits, or stops.", on: loop)
        }
        service.stopIfIdle(on: loop)
    }

    private var scheme: String { String(url.prefix { $0 != ":" }) }

    /// Opens what has to be opened, or tells the user of an error that nobody else hears of.
    private func finish(_ answer: JSONValue, on loop: isolated EventLoop) {
        if case .string(let url)? = answer["open"] {
            desktop.open(url, token: token, on: loop)
        } else if case .number(let code)? = answer["code"], case .string(let message)? = answer["message"] {
            desktop.tell("\(scheme): error \(code.text)", message, on: loop)
        }
    }
}
