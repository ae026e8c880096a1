package import XCallbackConfiguration
import XCallbackPipeline

/// What is found out of a configuration that is not served, but checked.
package struct ConfigurationFindings: Sendable {
    /// How many routes there are; 0 after a fault.
    package let routeCount: Int
    /// The schemes of the routes; empty after a fault.
    package let schemes: [String]
    /// In how many files it stands.
    package let fileCount: Int
    /// All that keeps it from being served; nil if nothing does.
    package let error: ConfigurationError?
    /// What is likely a mistake.
    package let warnings: ConfigurationWarnings
    /// What was not looked at.
    package let leftUnchecked: ConfigurationWarnings

    /// What the configuration holds, in a few words for people.
    package var summary: String {
        RouterConfiguration.summary(of: routeCount, schemes, fileCount)
    }
}

extension ConfigurationFindings {
    /// What is found out by decoding a configuration.
    ///
    /// - Parameters:
    ///   - fileCount: In how many files it stands.
    ///   - faults: Where all of it is reported.
    ///   - decode: Decodes it.
    init(fileCount: Int, _ faults: FaultList, decode: () throws(ConfigurationError) -> RouterConfiguration) {
        let result = Result { () throws(ConfigurationError) in try decode() }
        let configuration = try? result.get()
        routeCount = configuration?.routeCount ?? 0
        schemes = configuration?.pipeline.schemes.map(\.name) ?? []
        self.fileCount = fileCount
        error = if case .failure(let error) = result { error } else { nil }
        warnings = faults.warnings
        leftUnchecked = faults.leftUnchecked
    }
}
