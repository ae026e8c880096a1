package import Logging

extension Logger {
    /// What writes nothing.
    package static var silent: Logger { Logger(label: "xcallback") { _ in SwiftLogNoOpLogHandler() } }
}
