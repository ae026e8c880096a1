/// The faults found while a configuration is loaded, of all its files.
///
/// It is handed to everything that reads, so that a load tells all its faults at once.
package final class FaultList {
    /// A bound for the memory; those that are told are the first of those that are kept.
    private static let limit = 1_000

    private var sources: [String: Source] = [:]
    private var faults: [Fault] = []
    private var known: Set<Fault> = []
    private var unkeptCount = 0
    /// How many faults were reported, with those that were known already.
    package private(set) var reportCount = 0

    /// Creates an empty list.
    package init() {}

    /// Whether nothing is wrong so far.
    package var isEmpty: Bool { reportCount == 0 }

    /// Notes a fault; one that is known already is not noted again.
    ///
    /// - Parameters:
    ///   - message: What was found and what was expected, in lower case, without a full stop.
    ///   - place: Where it is. The excerpt is taken from there if that file was read into this list.
    ///   - other: A second place that has to do with it.
    package func report(_ message: String, at place: Place, other: Fault.Other? = nil) {
        reportCount += 1
        let fault = Fault(place: place, message: message, other: other)
        guard !known.contains(fault) else { return }
        guard faults.count < Self.limit else {
            unkeptCount += 1
            return
        }
        known.insert(fault)
        faults.append(fault)
    }

    /// All that is wrong, or nil: the faults by file, line and column, those at one place in the order of their report.
    package var error: ConfigurationError? {
        guard !faults.isEmpty else { return nil }
        let sorted = faults.enumerated()
            .sorted { ($0.element.place, $0.offset) < ($1.element.place, $1.offset) }
            .map(\.element)
        let told = sorted.prefix(ConfigurationError.limit).map { $0.with(excerpt: excerpt(at: $0.place)) }
        return ConfigurationError(
            faults: told + sorted.dropFirst(ConfigurationError.limit), count: faults.count + unkeptCount)
    }

    /// Ends a load that has faults.
    ///
    /// - Throws: ``ConfigurationError`` with all faults, unless there are none.
    package func throwIfAny() throws(ConfigurationError) {
        if let error { throw error }
    }

    /// Keeps the text of a file for excerpts.
    func keep(_ source: Source) {
        sources[source.name] = source
    }

    private func excerpt(at place: Place) -> String? {
        guard place.line > 0, let source = sources[place.file] else { return nil }
        return Excerpt(of: source.line(place.line), at: place).text
    }
}

extension Fault {
    fileprivate func with(excerpt: String?) -> Fault {
        Fault(place: place, message: message, other: other, excerpt: excerpt)
    }
}
