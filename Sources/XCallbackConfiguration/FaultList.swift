/// The faults found while a configuration is loaded, of all its files.
///
/// It is handed to everything that reads, so that a load tells all its faults at once.
package final class FaultList {
    /// How many faults are kept; a file that has more was likely written by a program.
    package static let limit = 100

    private var sources: [String: Source] = [:]
    private var faults: [Fault] = []
    private var isTruncated = false

    /// Creates an empty list.
    package init() {}

    /// Whether nothing is wrong so far.
    package var isEmpty: Bool { faults.isEmpty }

    /// How many faults are kept.
    package var count: Int { faults.count }

    /// The faults by file, line and column; those at one place in the order of their report.
    package var sorted: [Fault] {
        faults.enumerated()
            .sorted { ($0.element.place, $0.offset) < ($1.element.place, $1.offset) }
            .map(\.element)
    }

    /// Notes a fault; one that is known already is not noted again.
    ///
    /// - Parameters:
    ///   - message: What was found and what was expected, in lower case, without a full stop.
    ///   - place: Where it is. The excerpt is taken from there if that file was read into this list.
    ///   - other: A second place that has to do with it.
    package func report(_ message: String, at place: Place, other: Fault.Other? = nil) {
        guard faults.count < Self.limit else {
            isTruncated = true
            return
        }
        let fault = Fault(place: place, message: message, other: other, excerpt: excerpt(at: place))
        if !faults.contains(fault) { faults.append(fault) }
    }

    /// Ends a load that has faults.
    ///
    /// - Throws: ``ConfigurationError`` with all faults, unless there are none.
    package func throwIfAny() throws(ConfigurationError) {
        guard faults.isEmpty else { throw ConfigurationError(faults: sorted, isTruncated: isTruncated) }
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
