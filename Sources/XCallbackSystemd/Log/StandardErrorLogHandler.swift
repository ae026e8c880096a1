package import Logging

/// Writes each event as one line to standard error, for people and files, or as one entry of the journal.
///
///     2026-11-21T06:10:00.123Z info  route table loaded routes=12
///     <6>route table loaded routes=12
///
/// Metadata is sorted by its keys; a value with blanks, quotes or control characters stands in quotes, with escapes. An
/// error of the event becomes `error.message`. The label and the place in the source are left out.
package struct StandardErrorLogHandler: LogHandler {
    /// The level below which events are dropped before they come here.
    package var logLevel: Logger.Level = .info
    /// What is added to each event; what the event itself says goes first.
    package var metadata: Logger.Metadata = [:]
    /// What adds metadata of the task to each event; it goes before ``metadata``.
    package var metadataProvider: Logger.MetadataProvider?
    private let output: any LogOutput

    /// Creates a handler.
    ///
    /// - Parameter output: Where the events go, ``makeOutput()`` in a program; all handlers share it, so that lost
    ///   events are counted once.
    package init(output: any LogOutput) {
        self.output = output
    }

    /// One piece of the metadata.
    package subscript(metadataKey key: String) -> Logger.MetadataValue? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Writes an event, without ever waiting for its reader.
    package func log(event: LogEvent) {
        var metadata = metadata
        if let provided = metadataProvider?.get() { metadata.merge(provided) { $1 } }
        if let error = event.error { metadata["error.message"] = "\(error)" }
        if let explicit = event.metadata { metadata.merge(explicit) { $1 } }
        output.write(level: event.level, message: event.message.description, metadata: metadata)
    }
}
