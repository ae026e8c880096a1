package import Logging

extension Logger {
    /// A logger that discards everything.
    package static var silent: Logger { Logger(label: "xcallback") { _ in SwiftLogNoOpLogHandler() } }
}
