package import XCallbackConfiguration
import XCallbackPipeline
package import XCallbackURL

extension RouterConfiguration {
    /// Creates a replacement for a configuration that cannot be served: every request is answered with the error.
    package init(standingInFor error: ConfigurationError) {
        self.init(pipeline: Pipeline(answeringAllWith: CallbackError(error)))
    }
}

extension CallbackError {
    /// Creates the error that clients see if a configuration cannot be served.
    package init(_ error: ConfigurationError) {
        let faults = error.count == 1 ? "a fault" : "\(error.count) faults"
        self.init(
            .unavailable,
            "The daemon's configuration has \(faults): 'xcallback check' shows what to fix, then run 'xcallback reload'."
        )
    }
}
