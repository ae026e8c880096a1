/// The faults and warnings found while loading a configuration, in all its files.
///
/// All readers share it, so that a load reports all its faults at once.
package final class FaultList {
    private var sources: [Source] = []
    private var faults = FaultCollection()
    private var warned = FaultCollection()
    private var unchecked = FaultCollection()
    /// The number of reported faults, including known ones.
    package private(set) var reportCount = 0
    /// The number of reported faults and warnings, whether or not they were recorded.
    package private(set) var noteCount = 0
    /// The files of the reported faults.
    package private(set) var faultyFiles: Set<String> = []
    /// The files of which a part was not read, besides single values.
    package private(set) var cutFiles: Set<String> = []
    /// The files of the second places of faults, which may be wrong instead.
    package private(set) var relatedFiles: Set<String> = []
    /// Whether warnings are recorded; false while a disabled part is read.
    package var isWarned = true

    /// Creates an empty list.
    package init() {}

    /// Whether there are no faults so far; warnings do not count.
    package var isEmpty: Bool { reportCount == 0 }

    /// Records a fault, unless it is already known.
    ///
    /// Control characters in the message are made visible, because it can contain text of the file and is displayed in
    /// a terminal.
    ///
    /// - Parameters:
    ///   - message: The text that was found and the expected text, in lowercase without a full stop.
    ///   - place: The place. If its file was read into this list, the excerpt is taken from it.
    ///   - other: A related second place.
    ///   - unread: Why a file cannot be read, if that is the fault.
    package func report(
        _ message: String, at place: Place, other: Fault.Other? = nil, unread: Fault.UnreadFile? = nil
    ) {
        reportCount += 1
        noteCount += 1
        faultyFiles.insert(place.file)
        if let other { relatedFiles.insert(other.place.file) }
        faults.add(Fault(place: place, message: message.visible, other: other, unread: unread))
    }

    /// Notes that a member of a file is not read, although a fault is reported: the URLs of the file are not all known.
    package func noteCut(_ value: Node, of key: String = "") {
        let isAddress = ["schemes", "scheme", "prefix", "route"].contains(key)
        if case .scalar = value.content, !isAddress { return }
        cutFiles.insert(value.place.file)
    }

    /// Records a likely mistake that does not make the configuration invalid.
    ///
    /// - Parameters:
    ///   - message: The problem and the remedy, in lowercase without a full stop.
    ///   - place: The place.
    ///   - other: A related second place.
    ///   - breaksRoute: Whether the route cannot work.
    package func warn(_ message: String, at place: Place, other: Fault.Other? = nil, breaksRoute: Bool = false) {
        noteCount += 1
        guard isWarned else { return }
        warned.add(
            Fault(
                place: place, message: message.visible, other: other, severity: .warning, breaksRoute: breaksRoute))
    }

    /// Records a part that this process cannot check, which is neither valid nor invalid.
    ///
    /// - Parameters:
    ///   - message: The part, and why it was not checked, such as `credential 'hook', because …`.
    ///   - place: The place.
    package func noteUnchecked(_ message: String, at place: Place) {
        noteCount += 1
        if isWarned { unchecked.add(Fault(place: place, message: message.visible, severity: .unchecked)) }
    }

    /// The faults, or nil: sorted by file, line and column, and at one place in the order of their report.
    package var error: ConfigurationError? {
        let listed = listed(faults)
        return listed.isEmpty ? nil : ConfigurationError(faults: listed, count: faults.count, warnings: warnings)
    }

    /// The warnings, in the same order.
    package var warnings: ConfigurationWarnings {
        ConfigurationWarnings(listed(warned), count: warned.count)
    }

    /// The parts that were not checked, in the same order.
    package var leftUnchecked: ConfigurationWarnings {
        ConfigurationWarnings(listed(unchecked), count: unchecked.count, of: .unchecked)
    }

    /// Ends a load with faults.
    ///
    /// - Throws: ``ConfigurationError`` with all faults, if there are any.
    package func throwIfAny() throws(ConfigurationError) {
        if let error { throw error }
    }

    /// Returns why an existing text may seem to be missing: YAML interprets it differently, or cuts it.
    func cutTextHint(at place: Place) -> String? {
        guard place.line > 0, let source = sources.last(where: { $0.name == place.file }) else { return nil }
        let rest = source.line(place.line).dropFirst(place.column - 1).drop { $0 == " " }
        switch rest.first {
        case "#": return "text that begins with '#' needs quotes"
        case "&": return "text that begins with '&' needs quotes"
        case "}", ",": return "a text with a comma needs quotes"
        default: return nil
        }
    }

    /// Keeps the text of a file for excerpts.
    func keep(_ source: Source) {
        sources.append(source)
    }

    /// Returns the faults in order; those that are reported have excerpts.
    private func listed(_ collection: FaultCollection) -> [Fault] {
        var faults = collection.sorted
        for index in faults.indices.prefix(ConfigurationError.limit) {
            faults[index].excerpt = excerpt(at: faults[index].place)
        }
        return faults
    }

    private func excerpt(at place: Place) -> String? {
        guard place.line > 0, let source = sources.last(where: { $0.name == place.file }) else { return nil }
        return Excerpt(of: source.line(place.line), at: place).text
    }
}

/// Faults without duplicates, up to a limit that bounds the memory; the first of the recorded ones are reported.
private struct FaultCollection {
    private static let limit = 1_000

    private var faults: [Fault] = []
    private var known: Set<Fault> = []
    /// The number of faults that are not recorded.
    private(set) var omittedCount = 0

    /// The number of faults.
    var count: Int { faults.count + omittedCount }

    /// The recorded faults, sorted by place.
    var sorted: [Fault] {
        faults.enumerated().sorted { ($0.element.place, $0.offset) < ($1.element.place, $1.offset) }.map(\.element)
    }

    mutating func add(_ fault: Fault) {
        guard !known.contains(fault) else { return }
        guard faults.count < Self.limit else {
            omittedCount += 1
            return
        }
        known.insert(fault)
        faults.append(fault)
    }
}

/// The line of a fault with a caret below it, in the width of a terminal.
struct Excerpt {
    private static let width = 96
    private static let tab = (text: "    ", width: 4)

    /// The two lines of text, without a final line feed.
    let text: String

    /// Creates an excerpt of one line of a file.
    ///
    /// - Parameters:
    ///   - line: The line without its line break.
    ///   - place: The place that the caret marks.
    init(of line: Substring, at place: Place) {
        let target = line.index(line.startIndex, offsetBy: place.column - 1, limitedBy: line.endIndex) ?? line.endIndex
        var before = Cells(line[..<target].reversed(), limit: Self.width)
        let after = Cells(line[target...], limit: max(Self.width - before.width, Self.width / 2))
        before = Cells(line[..<target].reversed(), limit: Self.width - after.width)
        before.pieces.reverse()

        let underlined = line[target...].prefix(min(place.length, after.pieces.count))
        let caret = "^" + String(repeating: "~", count: max(Cells(underlined, limit: Self.width).width - 1, 0))
        let shown = (before.isCut ? "…" : "") + before.text + after.text + (after.isCut ? "…" : "")
        let indent = String(repeating: " ", count: before.width + (before.isCut ? 1 : 0))
        let number = String(place.line)
        let margin = String(repeating: " ", count: number.count)
        text = Self.trimmed("  \(number) | \(shown)") + "\n  \(margin) | \(indent)\(caret)"
    }

    /// Characters in their displayed form, as many as fit.
    private struct Cells {
        var pieces: [String] = []
        var width = 0
        var isCut = false
        var text: String { pieces.joined() }

        init(_ characters: some Sequence<Character>, limit: Int) {
            for character in characters {
                let cell = character == "\t" ? Excerpt.tab : (character.visible, character.displayWidth)
                guard width + cell.1 <= limit else {
                    isCut = true
                    return
                }
                pieces.append(cell.0)
                width += cell.1
            }
        }
    }

    private static func trimmed(_ line: String) -> String {
        guard let last = line.lastIndex(where: { $0 != " " }) else { return "" }
        return String(line[...last])
    }
}
