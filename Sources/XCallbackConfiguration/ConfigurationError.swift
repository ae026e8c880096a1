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
        let faultCount = count == 1 ? "1 fault" : "\(count) faults"
        let fileCount = fileCount == 1 ? "1 file" : "\(fileCount) files"
        let rest = count > faults.count ? "; \(count - faults.count) more than these \(faults.count)" : ""
        return "\(faultCount) in \(fileCount)\(rest)"
    }
}

extension ConfigurationError: CustomStringConvertible {
    /// The faults, each with its excerpt, and a last line that counts them.
    package var description: String {
        faults.map { "\($0)\n" }.joined() + summary
    }
}
