package import XCallbackConfiguration
import XCallbackPipeline
import XCallbackURL

extension RouterConfiguration {
    /// Creates what stands in for a configuration that cannot be served: every request is told so.
    package init(standingInFor error: ConfigurationError) {
        let faults = error.count == 1 ? "a fault" : "\(error.count) faults"
        self.init(
            pipeline: Pipeline(
                answeringAllWith: CallbackError(
                    .unavailable, "The daemon's configuration has \(faults): 'xcallback check' shows what to mend.")))
    }
}
