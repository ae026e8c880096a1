import ArgumentParser
import Glibc
import XCallbackAdministration
import XCallbackBuiltIns
import XCallbackClient
import XCallbackConfiguration
import XCallbackLinux
import XCallbackURL
import XCallbackWire

/// Shows what ran: the requests that a user's daemon has kept.
struct HistoryCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "Show what links, assistants and commands ran.",
        discussion: """
            The newest action is the last line: its id, time, origin, outcome, and its route with values. With an id, \
            all that is kept of one action is shown. --again runs it once more, after a question. Secrets are never kept.

            Example: xcallback history --origin agent --since yesterday

            Exit status: 0 success, 1 no action has the id, 64 usage; with --again, that of 'xcallback open'.
            """
    )

    /// The number of lines that are shown without '--since'.
    private static let usualCount = 50

    @Argument(help: "The id of an action, as the list shows it.")
    var id: String?

    @Option(help: "Only actions from there: desktop, agent, socket (commands).")
    var origin: RequestOrigin?

    @Option(help: ArgumentHelp("Only actions of a route.", valueName: "route"), completion: .live(.action))
    var route: String?

    @Option(
        help: ArgumentHelp(
            "Only actions since then: 1h, today, yesterday, or a date as 2026-11-28. Default: the last 50.",
            valueName: "time"))
    var since: MomentOption?

    @Flag(help: "Only actions that did not succeed.")
    var failed = false

    @Flag(help: "Print one JSON object for each action.")
    var json = false

    @Flag(help: "Run the action with the id once more.")
    var again = false

    @Flag(help: "Do not ask before '--again'.")
    var yes = false

    @Flag(help: "Remove all that is kept.")
    var clear = false

    @OptionGroup var location: SocketOption

    func validate() throws {
        if again, id == nil { throw ValidationError("'--again' needs the id of an action.") }
        if clear, id != nil || again || failed || origin != nil || route != nil || since != nil {
            throw ValidationError("'--clear' removes everything: nothing can be selected.")
        }
    }

    func run(asking daemon: Client) async throws {
        let folder = "\(try DesktopFolders.folder("XDG_STATE_HOME", orIn: ".local/state"))/xcallbackd"
        if clear {
            for file in HistoryFile.allCases { try file.clear(in: folder) }
            return
        }
        var entries = try HistoryEntry.all(in: folder)
        if let id { entries = entries.filter { $0.id == id } }
        entries = entries.filter { entry in
            origin.map { $0.rawValue == entry.origin } ?? true && route.map { $0 == entry.route } ?? true
                && since.map { $0.time <= entry.time } ?? true && !(failed && entry.isSuccess)
        }
        if id == nil, since == nil { entries = entries.suffix(Self.usualCount) }
        guard let first = entries.first else {
            guard id == nil else { throw Failure("the history has no action with this id") }
            if !json { try Terminal.print("The history has no entries that are to be shown.") }
            return
        }
        // Later requests of the same call are answers to the first one.
        if again { return try await run(first, again: daemon) }
        if json {
            for entry in entries { try Terminal.print(entry.json) }
        } else if id != nil {
            for entry in entries { try Terminal.print(entry.text) }
        } else {
            let width = Terminal.width(of: STDOUT_FILENO) ?? .max
            for line in TextTable(entries.map(\.cells)).lines {
                try Terminal.print(line.count > width ? "\(line.prefix(width - 1))…" : line)
            }
        }
    }

    /// Runs an action once more, as the user.
    private func run(_ entry: HistoryEntry, again daemon: Client) async throws {
        guard let name = entry.route, entry.isWhole else {
            throw Failure("it cannot run again: the history does not have all its values: \(entry.action)")
        }
        let routes = try await daemon.routes(beginningWith: name).filter { $0.name == name }
        guard let route = routes.first(where: { $0.takes(entry.values) }) else {
            let reason = routes.isEmpty ? "there is no route \(name.quoted)" : "\(name.quoted) takes no such values"
            throw Failure(.unknownAction, "it cannot run again: \(reason) anymore")
        }
        if !yes, !(try Terminal.ask("Run \(entry.action) again?")) { throw ExitCode(ExitStatus.cancelled.rawValue) }
        let url = try route.filled(with: entry.values)
        let answer = try await ReplyWatch.waitForAnswer(of: location) {
            try await daemon.open(url, answeredBy: route.id)
        }
        try answer.print()
        let status = ExitStatus(answer)
        if status != .success { throw ExitCode(status.rawValue) }
    }
}

/// An action that the history has kept.
private struct HistoryEntry {
    /// The entry as the daemon has written it, with the number of times that it ran.
    var json: JSONValue

    var id: String? { json["id"]?.text }
    var origin: String { json["origin"]?.text ?? "" }
    var route: String? { json["route"]?.text }
    var time: Duration { json.member("time") ?? .zero }
    var values: QueryItems { json.member("values") ?? QueryItems() }
    var omitted: [String] { json.member("omitted") ?? [] }
    /// Whether all values are kept.
    var isWhole: Bool { omitted.isEmpty && json["others"] == nil && json["url"] == nil && json["again"] == nil }
    private var outcome: String { json["outcome"]?.text ?? "" }
    private var times: Int { json.member("times") ?? 1 }

    var isSuccess: Bool { ["success", "redirect"].contains(outcome) }

    /// The route and its values, on one line.
    var action: String {
        let start = route ?? json["url"]?.text ?? "?"
        return ([start] + values.map(\.text) + omitted.map { "\($0)=…" } + (json["others"] == nil ? [] : ["…"])).joined(
            separator: " ")
    }

    /// The cells of its line.
    var cells: [String] {
        let ending = isSuccess ? "ok" : (json["code"]?.integer).map { "\($0)" } ?? outcome
        return [id ?? "", time.momentText, origin, ending, action + (times > 1 ? " ×\(times)" : "")]
    }

    /// All that is kept, one line for each member.
    var text: String {
        let rows = (json.members ?? []).map { member in
            switch member.name {
            case "time": ["time", time.momentText]
            case "values", "answer":
                [member.name, ((try? QueryItems(reading: member.value)) ?? [:]).map(\.text).joined(separator: " ")]
            case "duration": ["duration", ((try? Duration(reading: member.value)) ?? .zero).shortText]
            default: [member.name, member.value.text ?? "\(member.value)"]
            }
        }
        return TextTable(rows).text
    }

    /// Reads all entries, the newest last.
    static func all(in folder: String) throws -> [HistoryEntry] {
        var (all, files) = ([HistoryEntry](), try HistoryFile.allCases.map { try entries(of: $0, in: folder)[...] })
        // Each file is in order, even if the clock was set back.
        while let next = files.indices.filter({ !files[$0].isEmpty }).min(by: {
            (files[$0].first?.time ?? .zero) < (files[$1].first?.time ?? .zero)
        }) {
            all.append(files[next].removeFirst())
        }
        return all
    }

    private static func bytes(of path: String) throws -> [UInt8] {
        let number = open(path, O_RDONLY | O_CLOEXEC)
        if number < 0, errno == ENOENT { return [] }
        let descriptor = Descriptor(try SystemError.check("open '\(path)'") { number })
        return try readAll(descriptor.number, atMost: 2 * HistoryFile.limit)
    }

    private static func entries(of file: HistoryFile, in folder: String) throws -> [HistoryEntry] {
        var entries: [HistoryEntry] = []
        let paths = file.paths(in: folder)
        // The current one first: the daemon may make it the old one meanwhile.
        let (current, old) = (try bytes(of: paths.current), try bytes(of: paths.old))
        for bytes in old.starts(with: current) ? [old] : [old, current] {
            for line in bytes.split(separator: UInt8(ascii: "\n")) {
                guard let json = try? JSONValue(parsing: Array(line).span, maximumSize: line.count) else { continue }
                guard let count = json["again"]?.integer else {
                    entries.append(HistoryEntry(json: json))
                    continue
                }
                // Its first time is a few lines before, as it is the last that ran, unless it was removed meanwhile.
                var index = entries.lastIndex { $0.json["id"] == json["id"] }
                if index == nil { entries.append(HistoryEntry(json: json)) }
                let times = JSONValue.Member("times", .number(JSONNumber(index == nil ? count : count + 1)))
                index = index ?? entries.count - 1
                if let index { entries[index].json = .object((entries[index].json.members ?? []) + [times]) }
            }
        }
        return entries
    }
}

/// A moment on the command line: `1h` ago, `today`, `yesterday`, or a local date with or without a time.
struct MomentOption: ExpressibleByArgument {
    /// The time since 1970.
    let time: Duration

    init?(argument: String) {
        var now = Glibc.time(nil)
        if let past = Duration(text: argument) {
            time = .seconds(now) - past
            return
        }
        var parts = tm()
        switch argument {
        case "today", "yesterday":
            localtime_r(&now, &parts)
            (parts.tm_hour, parts.tm_min, parts.tm_sec) = (0, 0, 0)
            if argument == "yesterday" { parts.tm_mday -= 1 }
        default:
            let numbers = argument.split { "- :".contains($0) }.compactMap { Int32($0) }
            guard [3, 5].contains(numbers.count) else { return nil }
            (parts.tm_year, parts.tm_mon, parts.tm_mday) = (numbers[0] - 1900, numbers[1] - 1, numbers[2])
            if numbers.count == 5 { (parts.tm_hour, parts.tm_min) = (numbers[3], numbers[4]) }
        }
        parts.tm_isdst = -1
        time = .seconds(mktime(&parts))
        // Of a day that its month does not have, the system makes one of the next month.
        let isDate = argument.first?.isNumber == true
        if isDate, ![time.momentText, String(time.momentText.prefix("2026-01-31".count))].contains(argument) {
            return nil
        }
    }
}

extension Duration {
    /// The local date and time, to the minute, for a time since the start of 1970.
    fileprivate var momentText: String {
        String(dateText(as: "%Y-%m-%d %H:%M", isLocal: true).dropLast(".000".count))
    }
}
