package import XCallbackConfiguration
import XCallbackPipeline

/// The findings of a check of a configuration that is not served.
package struct ConfigurationFindings: Sendable {
    /// The number of routes; 0 after a fault.
    package let routeCount: Int
    /// The schemes of the routes; empty after a fault.
    package let schemes: [String]
    /// The number of files of the configuration.
    package let fileCount: Int
    /// The faults that prevent the configuration from being served; nil if there are none.
    package let error: ConfigurationError?
    /// The likely mistakes.
    package let warnings: ConfigurationWarnings
    /// The parts that were not checked.
    package let leftUnchecked: ConfigurationWarnings

    /// The content of the configuration, in a few words for people.
    package var summary: String {
        RouterConfiguration.summary(of: routeCount, schemes, fileCount)
    }
}

extension ConfigurationFindings {
    /// Creates findings by decoding a configuration.
    ///
    /// - Parameters:
    ///   - fileCount: The number of files of the configuration.
    ///   - faults: Receives all faults and warnings.
    ///   - decode: Decodes the configuration.
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
