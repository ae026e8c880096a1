import ArgumentParser
import Glibc
import XCallback
import XCallbackConfiguration
import XCallbackLinux
import XCallbackPipeline
import XCallbackURL

/// Calls another application and prints its answer.
struct CallCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "call",
        abstract: "Open a URL of any application, and wait for its answer.",
        discussion: """
            The application gets callbacks that lead back to the daemon, which tells its answer to this command. The \
            URL's own x-success, x-error and x-cancel are opened afterwards. A URL of the daemon's own schemes is \
            answered by the daemon, and nothing is opened. The answer is printed as by 'xcallback open'.

            The desktop must hand 'xcallback:' URLs to the daemon: say 'xcallback register xcallback' once.

            Example: xcallback call 'bear://x-callback-url/create?title=Milk' --stdin text <list.txt

            Exit status: 0 success, 1 an error of the application, or it could not be opened, 3 cancel, 4 no answer in \
            time, 5 refused (403), 6 no route (404), 7 daemon not reachable, 64 usage, 74 output not writable.
            """
    )

    /// How much is read of standard input.
    private static let inputLimit = 65_536

    @Argument(help: ArgumentHelp("The URL.", valueName: "url"))
    var url: String

    @Option(help: ArgumentHelp("How long to wait, such as 30s or 5m; 120s without it.", valueName: "time"))
    var timeout: String?

    @Flag(help: "Print one JSON object: outcome, url, items, by, and for errors code and message.")
    var json = false

    @Option(name: .customLong("param"), help: ArgumentHelp("A parameter to add, encoded.", valueName: "name=value"))
    var parameters: [String] = []

    @Option(
        name: .customLong("stdin"),
        help: ArgumentHelp("A parameter with what standard input holds, less a final line end.", valueName: "name"))
    var inputName: String?

    @Option(
        help: ArgumentHelp(
            "What opens the URL. Without it: $XCALLBACK_OPENER, xdg-open, gio, the portal.", valueName: "program"))
    var opener: String?

    @OptionGroup var location: SocketOption

    func validate() throws {
        _ = try limit()
        _ = try callback()
        let names = items().map(\.name) + (inputName.map { [$0] } ?? [])
        for name in names where name.isEmpty || name.lowercased().hasPrefix("x-") {
            throw ValidationError("'\(name.withVisibleControls)' cannot be the name of a parameter.")
        }
    }

    func run(asking daemon: Client) async throws {
        var items = items()
        if let inputName { items.append(inputName, try Self.input()) }
        let url = try callback().url(adding: items)
        let opener = DesktopTools(opener)
        let answer = try await daemon.call(url, within: try limit()) { url in
            try opener.checkReturn()
            try opener.open(url, as: "the URL")
        }
        if json { try Terminal.print(answer.json) } else { try answer.print() }
        if let url = answer.open { try opener.open(url, as: "the callback") }
        let status = ExitStatus(answer)
        if status != .success { throw ExitCode(status.rawValue) }
    }

    private func limit() throws -> Duration? {
        guard let timeout else { return nil }
        guard let limit = Duration(text: timeout), limit > .zero else {
            throw ValidationError("'--timeout' needs a time such as 30s or 5m.")
        }
        return limit
    }

    private func callback() throws -> Callback {
        do {
            return try Callback(url)
        } catch {
            throw ValidationError("The URL has \(error); nothing was opened.")
        }
    }

    /// The parameters that the command line adds.
    private func items() -> QueryItems {
        var items = QueryItems()
        for parameter in parameters {
            // By bytes: an accent that follows the sign would hide it.
            let end = parameter.utf8.firstIndex(of: UInt8(ascii: "="))
            items.append(
                String(parameter[..<(end ?? parameter.endIndex)]),
                end.map { String(parameter[parameter.utf8.index(after: $0)...]) })
        }
        return items
    }

    /// What standard input holds, less a final line end.
    private static func input() throws(Failure) -> String {
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 16_384)
        while bytes.count <= inputLimit {
            let count = read(STDIN_FILENO, &part, part.count)
            let code = errno
            if count < 0, code == EINTR { continue }
            guard count >= 0 else { throw Failure(.usage, "cannot read standard input: \(systemMessage(code))") }
            if count == 0 { break }
            bytes += part[..<count]
        }
        guard bytes.count <= inputLimit else {
            throw Failure(.usage, "standard input holds more than \(inputLimit) bytes: a URL cannot carry that")
        }
        if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Failure(.usage, "standard input holds what is not UTF-8: a parameter cannot carry that")
        }
        return text
    }
}
