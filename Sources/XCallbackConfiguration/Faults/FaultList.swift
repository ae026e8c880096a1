/// The faults found while a configuration is loaded, of all its files, and what it should be warned of.
///
/// It is handed to everything that reads, so that a load tells all its faults at once.
package final class FaultList {
    private var sources: [Source] = []
    private var faults = FaultCollection()
    private var warned = FaultCollection()
    private var unchecked = FaultCollection()
    /// How many faults were reported, with those that were known already.
    package private(set) var reportCount = 0
    /// How often something was reported or warned of, whether or not it was noted.
    package private(set) var noteCount = 0
    /// Whether warnings are noted; not while something is read that is not enabled.
    package var isWarned = true

    /// Creates an empty list.
    package init() {}

    /// Creates a list that begins with what another one has found.
    package init(after other: FaultList) {
        sources = other.sources
        faults = other.faults
        warned = other.warned
        unchecked = other.unchecked
        reportCount = other.reportCount
        noteCount = other.noteCount
    }

    /// Whether nothing is wrong so far; warnings do not count.
    package var isEmpty: Bool { reportCount == 0 }

    /// Notes a fault; one that is known already is not noted again.
    ///
    /// Control characters in the message are made visible: it may hold a text of the file, and is shown in a terminal.
    ///
    /// - Parameters:
    ///   - message: What was found and what was expected, in lower case, without a full stop.
    ///   - place: Where it is. The excerpt is taken from there if that file was read into this list.
    ///   - other: A second place that has to do with it.
    ///   - subject: What it is about, if there is a command that helps.
    package func report(
        _ message: String, at place: Place, other: Fault.Other? = nil, about subject: Fault.Subject? = nil
    ) {
        reportCount += 1
        noteCount += 1
        faults.add(Fault(place: place, message: message.visible, other: other, subject: subject))
    }

    /// Notes something that is likely a mistake, but keeps nothing from being served.
    ///
    /// - Parameters:
    ///   - message: What is odd and what to do, in lower case, without a full stop.
    ///   - place: Where it is.
    ///   - other: A second place that has to do with it.
    ///   - subject: What it is about, if there is a command that helps.
    package func warn(
        _ message: String, at place: Place, other: Fault.Other? = nil, about subject: Fault.Subject? = nil
    ) {
        noteCount += 1
        guard isWarned else { return }
        warned.add(Fault(place: place, message: message.visible, other: other, severity: .warning, subject: subject))
    }

    /// Notes something that this process cannot look at, so that it is neither right nor wrong.
    ///
    /// - Parameters:
    ///   - message: What it is, and why it was not looked at, such as `credential 'hook', because …`.
    ///   - place: Where it is.
    package func leave(_ message: String, at place: Place) {
        noteCount += 1
        if isWarned { unchecked.add(Fault(place: place, message: message.visible, severity: .unchecked)) }
    }

    /// Counts faults and warnings that are known elsewhere, and not told.
    package func addUntold(faults faultCount: Int, warnings warningCount: Int) {
        reportCount += faultCount
        faults.untoldCount += faultCount
        warned.untoldCount += warningCount
    }

    /// All that is wrong, or nil: the faults by file, line and column, those at one place in the order of their report.
    package var error: ConfigurationError? {
        let told = told(faults)
        return told.isEmpty ? nil : ConfigurationError(faults: told, count: faults.count)
    }

    /// All warnings, in the same order.
    package var warnings: ConfigurationWarnings {
        ConfigurationWarnings(told(warned), count: warned.count)
    }

    /// All that was not looked at, in the same order.
    package var leftUnchecked: ConfigurationWarnings {
        ConfigurationWarnings(told(unchecked), count: unchecked.count, of: .unchecked)
    }

    /// The text of a file that was read into this list.
    func text(of file: String) -> String? { sources.last { $0.name == file }?.text }

    /// Ends a load that has faults.
    ///
    /// - Throws: ``ConfigurationError`` with all faults, unless there are none.
    package func throwIfAny() throws(ConfigurationError) {
        if let error { throw error }
    }

    /// Why a text may be missing that is there: YAML takes it for something else, or cuts it.
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

    /// The faults in their order; those that are told have their excerpts.
    private func told(_ collection: FaultCollection) -> [Fault] {
        let sorted = collection.sorted
        return sorted.prefix(ConfigurationError.limit).map { $0.with(excerpt: excerpt(at: $0.place)) }
            + sorted.dropFirst(ConfigurationError.limit)
    }

    private func excerpt(at place: Place) -> String? {
        guard place.line > 0, let source = sources.last(where: { $0.name == place.file }) else { return nil }
        return Excerpt(of: source.line(place.line), at: place).text
    }
}

/// Faults, each once, up to a bound for the memory; those that are told are the first of those that are kept.
private struct FaultCollection {
    private static let limit = 1_000

    private var faults: [Fault] = []
    private var known: Set<Fault> = []
    /// How many are not kept.
    var untoldCount = 0

    /// How many there are.
    var count: Int { faults.count + untoldCount }

    /// Those that are kept, by their places.
    var sorted: [Fault] {
        faults.enumerated().sorted { ($0.element.place, $0.offset) < ($1.element.place, $1.offset) }.map(\.element)
    }

    mutating func add(_ fault: Fault) {
        guard !known.contains(fault) else { return }
        guard faults.count < Self.limit else {
            untoldCount += 1
            return
        }
        known.insert(fault)
        faults.append(fault)
    }
}

extension Fault {
    fileprivate func with(excerpt: String?) -> Fault {
        Fault(place: place, message: message, other: other, excerpt: excerpt, severity: severity, subject: subject)
    }
}
