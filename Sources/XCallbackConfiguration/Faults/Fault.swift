/// A fault in a configuration: its place, and the expected value.
package struct Fault: Error, Hashable, Sendable {
    /// The place.
    package let place: Place
    /// The text that was found and the expected text, in lowercase without a full stop.
    package let message: String
    /// A related second place.
    package let other: Other?
    /// The line with a caret below it; `nil` if the file as a whole is meant.
    package internal(set) var excerpt: String?
    /// The severity.
    package let severity: Severity
    /// Why a file cannot be read, if that is the fault.
    package let unread: UnreadFile?
    /// Whether a warning means that its route cannot work, such as a missing program.
    package let breaksRoute: Bool

    /// Creates a fault; ``FaultList/report(_:at:other:)`` adds the excerpt.
    package init(
        place: Place, message: String, other: Other? = nil, excerpt: String? = nil, severity: Severity = .fault,
        unread: UnreadFile? = nil, breaksRoute: Bool = false
    ) {
        self.place = place
        self.message = message
        self.other = other
        self.excerpt = excerpt
        self.severity = severity
        self.unread = unread
        self.breaksRoute = breaksRoute
    }

    /// Why a file cannot be read.
    package enum UnreadFile: Hashable, Sendable {
        /// It does not exist, perhaps because its file system is not mounted yet.
        case missing
        /// This user has no permission.
        case forbidden
    }

    /// The severity of a fault.
    package enum Severity: Hashable, Sendable {
        /// The configuration cannot be used.
        case fault
        /// The configuration can be used nevertheless.
        case warning
        /// A part was not checked, so its validity is unknown.
        case unchecked
    }

    /// A second place of a fault, and its role.
    package struct Other: Hashable, Sendable {
        /// The role of the place, such as `the first is`.
        package let role: String
        /// The place.
        package let place: Place

        /// Creates a second place.
        package init(_ role: String = "the other is", at place: Place) {
            self.role = role
            self.place = place
        }
    }
}

extension Fault: CustomStringConvertible {
    /// The place, the message and, on lines of their own, the excerpt.
    package var description: String {
        var text = "\(place): \(severity.title)\(message)"
        if let other { text += "; \(other.role) at \(other.place)" }
        if let excerpt { text += "\n" + excerpt }
        return text
    }
}

extension Fault.Severity {
    /// The text before a message.
    fileprivate var title: String {
        switch self {
        case .fault: ""
        case .warning: "warning: "
        case .unchecked: "not checked here: "
        }
    }
}

/// A place in a configuration file: a range of characters within a line.
package struct Place: Hashable, Sendable {
    /// The name of the file in messages.
    package let file: String
    /// The line, starting at 1; 0 for the file as a whole.
    package let line: Int
    /// The column of the first character, starting at 1; 0 for the file as a whole.
    ///
    /// A tab, a letter with accents and an emoji are one character each.
    package let column: Int
    /// The number of characters, at least 1.
    package let length: Int

    /// Creates a place from a line and a column, both starting at 1.
    package init(file: String, line: Int, column: Int, length: Int = 1) {
        self.file = file
        self.line = line
        self.column = column
        self.length = max(length, 1)
    }

    /// Creates a place for a file as a whole.
    package init(file: String) {
        self.init(file: file, line: 0, column: 0)
    }
}

extension Place: Comparable {
    /// Orders places by file, line and column.
    package static func < (left: Place, right: Place) -> Bool {
        if left.file != right.file { return left.file < right.file }
        return (left.line, left.column, left.length) < (right.line, right.column, right.length)
    }
}

extension Place: CustomStringConvertible {
    /// The written form: `config.yaml:7:15`, or only the name of the file.
    package var description: String {
        line == 0 ? file.visible : "\(file.visible):\(line):\(column)"
    }
}

/// The faults of a configuration.
package struct ConfigurationError: Error, Hashable, Sendable {
    /// The maximum number of reported faults; a program has probably written a configuration with more.
    package static let limit = 50

    /// The first faults, sorted by file, line and column; at least one, at most ``limit``.
    package let faults: [Fault]
    /// The number of faults.
    package let count: Int
    /// The number of files with faults.
    package let fileCount: Int
    /// The warnings of the same load.
    package let warnings: ConfigurationWarnings

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - faults: The faults in the order of the report; only the first ``limit`` are kept.
    ///   - count: The number of faults, if there are more than in `faults`.
    ///   - warnings: The warnings of the same load.
    package init(
        faults: [Fault], count: Int? = nil, warnings: ConfigurationWarnings = ConfigurationWarnings()
    ) {
        self.warnings = warnings
        self.faults = Array(faults.prefix(Self.limit))
        self.count = count ?? faults.count
        fileCount = Set(faults.map(\.place.file)).count
    }

    /// The faults with those of a further attempt.
    package func adding(_ other: ConfigurationError) -> ConfigurationError {
        ConfigurationError(faults: faults + other.faults, count: count + other.count, warnings: other.warnings)
    }

    /// Whether the configuration may be valid soon, without a change: it lacks only files, whose file system may be late.
    package var mayPass: Bool { count == faults.count && faults.allSatisfy { $0.unread == .missing } }

    /// Why the configuration is not served, in one line.
    package var cause: String {
        if mayPass, let fault = faults.first { return "\(fault.place): \(fault.message)" }
        return "the configuration has \(count == 1 ? "1 fault" : "\(count) faults"), see the log"
    }

    /// The numbers of faults and files, in a few words for people.
    package var summary: String {
        summaryText(of: "fault", count, listed: faults.count, fileCount: fileCount)
    }
}

extension ConfigurationError: CustomStringConvertible {
    /// The faults with their excerpts, and a last line with their number.
    package var description: String { faults.map { "\($0)\n" }.joined() + summary }

    /// The faults and then the warnings, each with its excerpt, and a last line with both numbers.
    package var textWithWarnings: String {
        if warnings.isEmpty { return description }
        return (faults + warnings.warnings).map { "\($0)\n" }.joined() + "\(summary), \(warnings.summary)"
    }
}

/// Warnings about a valid configuration, or the parts of it that were not checked.
package struct ConfigurationWarnings: Hashable, Sendable {
    /// The first warnings, sorted by file, line and column; at most ``ConfigurationError/limit``.
    package let warnings: [Fault]
    /// The number of warnings.
    package let count: Int
    private let fileCount: Int
    private let severity: Fault.Severity

    /// Creates a list.
    ///
    /// - Parameters:
    ///   - warnings: The warnings in the order of the report.
    ///   - count: The number of warnings, if there are more than in `warnings`.
    ///   - severity: The severity of all of them.
    package init(_ warnings: [Fault] = [], count: Int? = nil, of severity: Fault.Severity = .warning) {
        self.warnings = Array(warnings.prefix(ConfigurationError.limit))
        self.count = count ?? warnings.count
        fileCount = Set(warnings.map(\.place.file)).count
        self.severity = severity
    }

    /// Whether there are none.
    package var isEmpty: Bool { count == 0 }
}

extension ConfigurationWarnings: CustomStringConvertible {
    /// The warnings with their excerpts, and a last line with their number.
    package var description: String {
        warnings.map { "\($0)\n" }.joined() + summary
    }

    /// The number of warnings, in a few words for people.
    fileprivate var summary: String {
        severity == .unchecked
            ? "\(count) not checked here"
            : summaryText(of: "warning", count, listed: warnings.count, fileCount: fileCount)
    }
}

/// Returns the numbers of faults or warnings and files, in a few words for people.
private func summaryText(of noun: String, _ count: Int, listed: Int, fileCount: Int) -> String {
    let files = fileCount == 1 ? "1 file" : "\(fileCount) files"
    let rest = count > listed ? "; \(count - listed) more than these \(listed)" : ""
    return "\(count) \(noun)\(count == 1 ? "" : "s") in \(files)\(rest)"
}
