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

    /// The numbers of faults and files, in a few words for people.
    package var summary: String {
        summaryText(of: "fault", count, told: faults.count, fileCount: fileCount)
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
            : summaryText(of: "warning", count, told: warnings.count, fileCount: fileCount)
    }
}

/// Returns the numbers of faults or warnings and files, in a few words for people.
private func summaryText(of noun: String, _ count: Int, told: Int, fileCount: Int) -> String {
    let files = fileCount == 1 ? "1 file" : "\(fileCount) files"
    let rest = count > told ? "; \(count - told) more than these \(told)" : ""
    return "\(count) \(noun)\(count == 1 ? "" : "s") in \(files)\(rest)"
}
