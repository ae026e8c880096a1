/// All that is wrong with a configuration.
package struct ConfigurationError: Error, Hashable, Sendable {
    /// How many faults are told; a configuration that has more was likely written by a program.
    package static let limit = 50

    /// The first faults by file, line and column; at least one, at most ``limit``.
    package let faults: [Fault]
    /// How many faults there are.
    package let count: Int
    /// In how many files.
    package let fileCount: Int

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - faults: Faults in the order in which they are told; of more than ``limit`` the first are kept.
    ///   - count: How many there are, if there are more.
    package init(faults: [Fault], count: Int? = nil) {
        self.faults = Array(faults.prefix(Self.limit))
        self.count = count ?? faults.count
        fileCount = Set(faults.map(\.place.file)).count
    }

    /// How many faults there are, in how many files, in a few words for people.
    package var summary: String {
        summaryText(of: "fault", count, told: faults.count, fileCount: fileCount)
    }
}

extension ConfigurationError: CustomStringConvertible {
    /// The faults, each with its excerpt, and a last line that counts them.
    package var description: String { text(before: ConfigurationWarnings()) }

    /// The faults, then warnings, each with its excerpt, and a last line that counts both.
    ///
    /// - Parameter warnings: The warnings; without any, nothing is told of them.
    /// - Returns: The lines, without a line feed at the end.
    package func text(before warnings: ConfigurationWarnings) -> String {
        let counts = [summary] + (warnings.isEmpty ? [] : [warnings.summary])
        return (faults + warnings.warnings).map { "\($0)\n" }.joined() + counts.joined(separator: ", ")
    }
}

/// What a configuration that can be served should be warned of, or what of it was not looked at.
package struct ConfigurationWarnings: Hashable, Sendable {
    /// The first warnings by file, line and column, at most ``ConfigurationError/limit``.
    package let warnings: [Fault]
    /// How many there are.
    package let count: Int
    private let fileCount: Int
    private let severity: Fault.Severity

    /// Creates a list.
    ///
    /// - Parameters:
    ///   - warnings: Warnings in the order in which they are told.
    ///   - count: How many there are, if there are more.
    ///   - severity: What they all are.
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
    /// The warnings, each with its excerpt, and a last line that counts them.
    package var description: String {
        warnings.map { "\($0)\n" }.joined() + summary
    }

    /// How many there are, in a few words for people.
    fileprivate var summary: String {
        severity == .unchecked
            ? "\(count) not checked here"
            : summaryText(of: "warning", count, told: warnings.count, fileCount: fileCount)
    }
}

/// How many there are, in how many files, in a few words for people.
private func summaryText(of noun: String, _ count: Int, told: Int, fileCount: Int) -> String {
    let files = fileCount == 1 ? "1 file" : "\(fileCount) files"
    let rest = count > told ? "; \(count - told) more than these \(told)" : ""
    return "\(count) \(noun)\(count == 1 ? "" : "s") in \(files)\(rest)"
}
