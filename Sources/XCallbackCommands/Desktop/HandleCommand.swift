import ArgumentParser
import XCallback
import XCallbackPipeline
import XCallbackURL

/// Takes a URL from the desktop to the daemon, and the answer to whom it is for.
struct HandleCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "handle",
        abstract: "Do what a URL asks for, as the desktop's handler of it; the desktop entry runs this.",
        discussion: """
            Only public routes can be reached, as the URL may come from a web page. A callback to one of the daemon's \
            own schemes is followed by the daemon; any other is opened. An error without x-error, and a callback that \
            cannot be opened, are told on standard error, in the journal, and as a notification. Nothing is printed.

            Example: xcallback handle -- 'notes://x-callback-url/create?title=Milk&x-success=app://done'

            Exit status: 0 done, 1 an error of the handler, or a callback could not be opened, 3 cancel, 4 time-out \
            (504), 5 refused (403), 6 no route (404), 7 daemon not reachable, 64 usage.
            """
    )

    @Argument(help: ArgumentHelp("The URL.", valueName: "url"))
    var url: String

    @Option(
        help: ArgumentHelp(
            "What opens a callback. Without it: $XCALLBACK_OPENER, xdg-open, gio.", valueName: "program"))
    var opener: String?

    @OptionGroup var location: SocketOption

    func run(asking daemon: Client) async throws {
        do {
            if Opener.hasComeBack(url) {
                throw Failure(
                    .errorAnswer,
                    "the desktop hands the URL back to 'xcallback', which was to open it elsewhere\n"
                        + "another application must have its scheme: see 'xcallback doctor'")
            }
            let answer = try await daemon.open(url.withEncodedBlanks, from: .desktop, delivering: true)
            if let handover = answer.handover { try Opener(opener).open(handover, as: "the callback") }
            let status = ExitStatus(answer)
            if answer.handover == nil, case .error(let error) = answer.response { tell(error) }
            if status != .success { throw ExitCode(status.rawValue) }
        } catch {
            guard let failure = Failure(error) else { throw error }
            UserNotice(title: "\(scheme): the URL was not handled", text: failure.message).tell()
            throw ExitCode(failure.status.rawValue)
        }
    }

    /// Tells of an error that the URL names nobody for.
    private func tell(_ error: CallbackError) {
        UserNotice(title: "\(scheme): error \(error.code.rawValue)", text: error.message).tell(
            journal: "the URL has no x-error")
    }

    private var scheme: String { String(url.prefix { $0 != ":" }) }
}

extension String {
    /// The text with raw blanks and control characters encoded, which people type and browsers encode.
    fileprivate var withEncodedBlanks: String {
        guard utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F }) else { return self }
        var result: [UInt8] = []
        for byte in utf8 {
            guard byte <= 0x20 || byte == 0x7F else {
                result.append(byte)
                continue
            }
            let digits = Array("0123456789ABCDEF".utf8)
            result += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
        return String(decoding: result, as: UTF8.self)
    }
}
