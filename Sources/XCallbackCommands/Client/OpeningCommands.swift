import ArgumentParser
import Glibc
import Synchronization
import XCallbackAdministration
import XCallbackClient
import XCallbackConfiguration
import XCallbackLinux
import XCallbackRouter
import XCallbackURL
import XCallbackWire

/// Sends URLs to the daemon and prints its answers.
struct OpenCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "open",
        _superCommandName: "xcallback",
        abstract: "Run actions by URL or name, and print the answers.",
        discussion: """
            A success prints its items as 'name=value'. Further lines of a value are indented, and control characters \
            are shown as <U+001B>; scripts get exact values with --value or --json. An error prints \
            'error: MESSAGE (CODE)', and a cancel 'cancelled', on standard error. If the daemon sends its own user the \
            cause, such as the closest route after error 404, 'cause: …' follows. An answer to a callback of the URL itself (x-success, x-error, \
            x-cancel), or a redirect, is printed unchanged: one URL.

            With --param or --stdin, the name of a route, as 'xcallback routes' prints it, can replace the URL: \
            its captures get the parameters of the same names, and the other parameters become its query.

            Example: xcallback open 'notes:/new?title=Milk'
            Example: xcallback open notes:/notes/:id/append --param id=7 --stdin text --value length <draft.txt

            Exit status: 0 success or redirect, 1 error, 3 cancel; 4 timeout (504), 5 refused (403), 6 no route (404) \
            if the daemon and not a handler reports it; 7 daemon not reachable, 64 usage, 74 output not writable. With \
            several URLs, the first status that is not 0.
            """
    )

    @Argument(
        help: ArgumentHelp(
            "The URLs, or names of routes. Blanks and control characters in a URL must be encoded.", valueName: "url"),
        completion: .live(.action))
    var urls: [String]

    @Flag(help: "Ask for the parameters of a route that have no value, as 'xcallback pick' does.")
    var ask = false

    @OptionGroup var parameters: ParameterOptions
    @OptionGroup var output: AnswerOptions
    @OptionGroup var location: SocketOption

    func run(asking daemon: Client) async throws {
        guard parameters.isEmpty && !ask || urls.count == 1 else {
            throw Failure(.usage, "parameters need exactly one URL or route; nothing was sent")
        }
        var targets: [ParameterOptions.Target] = []
        for url in urls {
            targets.append(try await parameters.target(url, of: daemon, asks: ask))
        }
        for target in targets { try Self.check(target.url) }
        var status = ExitStatus.success
        do {
            for target in targets {
                let answer = try await ReplyWatch.waitForAnswer(of: location, showsProgress: !output.json) { progress in
                    try await daemon.open(target.url, answeredBy: target.route?.id, progress: progress)
                }
                let ending = try output.print(answer)
                if status == .success { status = ending }
            }
        } catch {
            guard let ending = Failure.report(error) else { throw error }
            if status == .success { status = ending }
        }
        if status != .success { throw ExitCode(status.rawValue) }
    }

    /// Checks a URL before anything is sent.
    ///
    /// Only text that cannot be a URL is rejected here; the daemon reports all other faults.
    ///
    /// - Throws: ``Failure`` if the text has no scheme, or contains a blank or control character.
    static func check(_ url: String) throws(Failure) {
        do {
            _ = try URLLayout(checking: url.utf8.span)
        } catch {
            if error.reason == .missingScheme || error.reason == .rawControl {
                throw Failure(.usage, "the URL \(url.quoted) has \(error); nothing was sent")
            }
        }
    }
}

/// The parameters that the command line adds to a URL, or to a route given by name.
struct ParameterOptions: ParsableArguments {
    /// The maximum size of standard input and of a URL: the greatest `line` that a configuration can allow.
    private static let lineLimit = 1_048_576

    @Option(
        name: .customLong("param"),
        help: ArgumentHelp(
            "A parameter to add, unencoded, or 'name' for one without a value. Can be repeated, for a list. Replaces the URL's "
                + "own parameters of that name. With it, a route's name, as 'xcallback routes' prints it, can replace the "
                + "URL.",
            valueName: "name=value"), completion: .live(.parameter))
    var parameters: [String] = []

    @Option(
        name: .customLong("stdin"),
        help: ArgumentHelp(
            "A parameter with the content of standard input as its value, without a final line end.", valueName: "name"),
        completion: .live(.parameterName))
    var inputName: String?

    func validate() throws {
        for name in QueryItems(words: parameters).map(\.name) + (inputName.map { [$0] } ?? [])
        where name.isEmpty || name.lowercased().hasPrefix("x-") {
            throw ValidationError("'\(name.withVisibleControls)' is not a valid parameter name.")
        }
    }

    /// Whether no parameters are given.
    var isEmpty: Bool { parameters.isEmpty && inputName == nil }

    /// The target of a request.
    struct Target {
        /// The URL.
        let url: String
        /// The route that must answer it; nil for any route.
        let route: Client.CatalogueRoute?
    }

    /// Returns the target that an argument and the parameters describe, among the routes of the daemon.
    ///
    /// - Parameters:
    ///   - argument: A URL, or the name of a route.
    ///   - daemon: The daemon.
    ///   - asks: Whether the user is asked for parameters that have no value.
    /// - Returns: The target, with the parameters in its URL.
    /// - Throws: As ``target(_:among:)``.
    func target(_ argument: String, of daemon: Client, asks: Bool = false) async throws -> Target {
        func complete(_ route: Client.CatalogueRoute, _ items: inout QueryItems) throws {
            var menus = Menus([])
            try route.complete(&items, isWhole: true, with: &menus)
        }
        return try await target(
            argument,
            among: { prefix in
                try await ReplyWatch.wait("to list its routes") { try await daemon.routes(beginningWith: prefix) }
            }, completing: asks ? complete : nil)
    }

    /// Returns the target that an argument and the parameters describe.
    ///
    /// Without parameters, the argument is the URL itself, unless it is the name of a route with captures or groups: as a URL,
    /// that would have their names as values.
    ///
    /// - Parameters:
    ///   - argument: A URL, or the name of a route.
    ///   - routes: Returns the routes whose names begin with a text.
    ///   - complete: Adds parameters that a named route still needs; nil if none are added.
    /// - Returns: The target, with the parameters in its URL.
    /// - Throws: ``Failure``, or the error of `routes`.
    func target(
        _ argument: String, among routes: (String) async throws -> [Client.CatalogueRoute],
        completing complete: ((Client.CatalogueRoute, inout QueryItems) throws -> Void)? = nil
    ) async throws -> Target {
        var items = QueryItems(words: parameters)
        let asIs = Target(url: argument, route: nil)
        if isEmpty, complete == nil, !argument.isPattern { return asIs }
        let named = try await routes(argument).filter { $0.name == argument }
        if isEmpty, named.isEmpty { return asIs }
        if named.isEmpty, argument.isPattern {
            let scheme = argument.prefix { $0 != ":" }
            throw Failure(noRoute: argument, among: try await routes("\(scheme):"), status: .usage)
        }
        var route = named.first { $0.takes(items) } ?? named.first
        if let inputName {
            let isData = route?.parameters.contains { $0.name == inputName && $0.type == "data" } ?? false
            items.append(inputName, try Self.input(isData: isData))
        }
        if let named = route {
            try complete?(named, &items)
            items = named.withWholePaths(items)
        }
        // Among routes of one name, the values determine which one is meant.
        route = named.first { $0.takes(items) } ?? route
        let url =
            try route.map { route throws(Failure) in try route.filled(with: items) } ?? url(argument, adding: items)
        guard url.utf8.count <= Self.lineLimit else {
            throw Failure(
                .usage,
                "the URL has \(url.utf8.count) bytes: daemons accept at most \(Self.lineLimit) (limits: line); "
                    + "nothing was sent")
        }
        return Target(url: url, route: route)
    }

    private func url(_ text: String, adding items: QueryItems) throws(Failure) -> String {
        if items.isEmpty { return text }
        do throws(ActionURLError) {
            return try Callback(text).url(adding: items)
        } catch {
            throw Failure(.usage, "the URL has \(error); nothing was sent")
        }
    }

    /// Reads standard input: bytes as base64url, or text without a final line ending.
    private static func input(isData: Bool) throws(Failure) -> String {
        var bytes: [UInt8]
        do throws(SystemError) {
            bytes = try readAll(STDIN_FILENO, atMost: lineLimit + 1)
        } catch {
            throw Failure(.usage, "cannot read standard input: \(systemMessage(error.code))")
        }
        guard bytes.count <= lineLimit else {
            throw Failure(
                .usage,
                "standard input has more than \(lineLimit) bytes: daemons accept no URL of that length (limits: line)")
        }
        if isData { return TextForms.base64(bytes.span, isURLSafe: true) }
        if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Failure(
                .usage, "standard input is not UTF-8: only a parameter of the type 'data' accepts that")
        }
        return text
    }
}

extension String {
    /// Whether the text looks like the name of a route with captures or groups, and not like a URL.
    var isPattern: Bool {
        guard let colon = utf8.firstIndex(of: UInt8(ascii: ":")) else { return false }
        var last: UInt8 = 0
        for byte in utf8[utf8.index(after: colon)...] {
            switch byte {
            case UInt8(ascii: "?"): return false
            case UInt8(ascii: "*"), UInt8(ascii: "{"): return true
            case UInt8(ascii: ":") where last == UInt8(ascii: "/"): return true
            default: last = byte
            }
        }
        return false
    }
}

extension Client.CatalogueRoute {
    /// Returns the URL with values for its captures and its query.
    ///
    /// - Throws: ``Failure`` if one is missing or not valid.
    func filled(with items: QueryItems) throws(Failure) -> String {
        do throws(RouteFillingError) {
            return try url(with: items)
        } catch {
            throw Failure(.usage, "\("\(error)".withVisibleControls); nothing was sent")
        }
    }

    /// Returns values with absolute paths of files, which this process and the daemon find in different folders.
    fileprivate func withWholePaths(_ items: QueryItems) -> QueryItems {
        items.reduce(into: QueryItems()) { whole, item in
            let isFile = parameters.contains { $0.name == item.name && $0.isFile }
            let path = item.value.flatMap { path in
                path.isEmpty || path.utf8.first == UInt8(ascii: "/") || path.lowercased().hasPrefix("file:")
                    ? path : workingFolder() + path
            }
            whole.append(item.name, isFile ? path : item.value)
        }
    }

    /// Whether values fit its path, as far as the types of its captures determine.
    func takes(_ items: QueryItems) -> Bool {
        parameters.filter { $0.place == .path }.allSatisfy { capture in
            let type = capture.rule?.type
            return items.allSatisfy { item in
                item.name != capture.name || item.value.map { type?.matches($0.utf8.span) ?? false } ?? false
            }
        }
    }
}

/// The options that select how an answer is printed.
struct AnswerOptions: ParsableArguments {
    @Option(
        name: .customLong("value"),
        help: ArgumentHelp(
            "Print only the values of one item of a success, one per line. The exit status is 1 if there are none.",
            valueName: "name"), completion: .live(.item))
    var name: String?

    @Flag(help: "Print one JSON object for each answer: outcome, url, items, by, and for errors code and message.")
    var json = false

    func validate() throws {
        if json, name != nil { throw ValidationError("'--json' and '--value' cannot be combined.") }
    }

    /// Prints an answer, and returns its exit status.
    func print(_ answer: Client.Answer) throws(Failure) -> ExitStatus {
        if json {
            try Terminal.print(answer.json)
        } else if let name, case .success(let items) = answer.response {
            guard try Terminal.print(valuesOf: name, in: items) else {
                Terminal.printError("xcallback: the answer has no item '\(name.withVisibleControls)' with a value")
                return .errorAnswer
            }
        } else {
            try answer.print()
        }
        return ExitStatus(answer)
    }
}

/// Calls another application and prints its answer.
struct CallCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "call",
        abstract: "Open a URL of any application, and wait for it.",
        discussion: """
            The application gets callbacks that lead to the daemon, which sends its answer to this command. \
            Afterwards, the URL's own x-success, x-error or x-cancel is opened. The daemon answers a URL of its own \
            schemes itself; if that leads to an application, it is called. With --param or --stdin, the name of a \
            route can replace the URL. The answer is printed as by 'xcallback open'.

            The desktop must send 'xcallback:' URLs to the daemon: run 'xcallback register xcallback' once.

            Example: xcallback call 'bear://x-callback-url/create?title=Milk' --stdin text <list.txt

            Exit status: 0 success, 1 an error of the application, or it could not be opened, 3 cancel, 4 timeout, 5 \
            refused (403), 6 no route (404), 7 daemon not reachable, 64 usage, 74 output not writable.
            """
    )

    @Argument(help: ArgumentHelp("The URL, or the name of a route.", valueName: "url"), completion: .live(.action))
    var url: String

    @Option(help: ArgumentHelp("The time to wait, such as 30s or 5m. Default: 120s.", valueName: "time"))
    var timeout: TimeOption?

    @Flag(help: "Read '+' in the application's answer as a space, like a route with 'form: true'.")
    var form = false

    @OptionGroup var parameters: ParameterOptions
    @OptionGroup var output: AnswerOptions

    @Option(
        help: ArgumentHelp(
            "The program that opens the URL. Default: $XCALLBACK_OPENER, xdg-open, gio, the portal.",
            valueName: "program"),
        completion: .file())
    var opener: String?

    @OptionGroup var location: SocketOption

    func run(asking daemon: Client) async throws {
        let target = try await parameters.target(url, of: daemon)
        _ = try Self.callback(target.url)
        let opener = DesktopTools(opener)
        // The application's own URL, once it is opened.
        let opened = Mutex<String?>(nil)
        let answer = try await ReplyWatch.waitForAnswer(of: location, showsProgress: !output.json) { progress in
            try await self.answer(to: target, from: daemon, progress) { url in
                try opener.checkReturn()
                opened.withLock { $0 = url }
                try opener.open(url, as: "the URL")
            }
        }
        let status = try output.print(answer)
        if status == .timedOut, self.opener == nil, variable("XCALLBACK_OPENER") == nil,
            let url = opened.withLock(\.self), let cause = LinkExamination.cause(of: url)
        {
            Terminal.printError("xcallback: \(cause)")
        }
        if let url = answer.open { try opener.open(url, as: "the callback") }
        if status != .success { throw ExitCode(status.rawValue) }
    }

    /// Calls the application, or the one to which a route of the daemon leads.
    private func answer(
        to target: ParameterOptions.Target, from daemon: Client, _ progress: (@Sendable (RequestProgress) -> Void)?,
        opening open: @concurrent (String) async throws -> Void
    ) async throws -> Client.Answer {
        let (limit, readsForm) = (timeout?.limit, form || target.route?.readsForms == true)
        let first =
            target.route == nil
            ? try await daemon.call(
                target.url, within: limit, readingForm: readsForm, progress: progress, opening: open)
            : try await daemon.open(target.url, answeredBy: target.route?.id, progress: progress)
        guard case .redirect(let callback) = first.response else { return first }
        if callback.isOfWeb { return first }
        return try await daemon.call(callback.text, within: limit, readingForm: readsForm, opening: open)
    }

    private static func callback(_ url: String) throws -> Callback {
        do {
            return try Callback(url)
        } catch {
            throw ValidationError("The URL has \(error); nothing was opened.")
        }
    }
}

extension Callback {
    /// Whether the callback is a web page, which never answers.
    var isOfWeb: Bool { ["http:", "https:"].contains { text.lowercased().hasPrefix($0) } }
}
