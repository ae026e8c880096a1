/// All that is wrong with a configuration.
package struct ConfigurationError: Error, Hashable, Sendable {
    /// The faults by file, line and column; at least one.
    package let faults: [Fault]
    /// Whether there were more than are kept.
    package let isTruncated: Bool

    /// Creates an error from faults in the order in which they are shown.
    package init(faults: [Fault], isTruncated: Bool = false) {
        self.faults = faults
        self.isTruncated = isTruncated
    }
}

extension ConfigurationError: CustomStringConvertible {
    /// All faults, each with its excerpt, and a last line that counts them.
    package var description: String {
        let files = Set(faults.map(\.place.file)).count
        let faultCount = faults.count == 1 ? "1 fault" : "\(faults.count) faults"
        let fileCount = files == 1 ? "1 file" : "\(files) files"
        let rest = isTruncated ? ", and more" : ""
        return faults.map { "\($0)\n" }.joined() + "\(faultCount) in \(fileCount)\(rest)"
    }
}
