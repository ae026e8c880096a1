package import Logging

/// Writes each event as a line to standard error, for people and files, or as a journal entry.
///
///     2026-11-21T06:10:00.123Z info  route table loaded routes=12
///     <6>route table loaded routes=12
///
/// Metadata is sorted by key; values with blanks, quotes or control characters are quoted and escaped. An error of the
/// event becomes `error.message`. The label and the source location are omitted.
package struct StandardErrorLogHandler: LogHandler {
    /// The minimum level of the events that reach the handler.
    package var logLevel: Logger.Level = .info
    /// Metadata added to each event; the event's own metadata takes precedence.
    package var metadata: Logger.Metadata = [:]
    /// Provides task metadata for each event; it takes precedence over ``metadata``.
    package var metadataProvider: Logger.MetadataProvider?
    private let output: any LogOutput

    /// Creates a handler.
    ///
    /// - Parameter output: The destination, ``makeOutput()`` in a program; all handlers share it, so that lost events
    ///   are counted once.
    package init(output: any LogOutput) {
        self.output = output
    }

    /// The metadata value of a key.
    package subscript(metadataKey key: String) -> Logger.MetadataValue? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Writes an event; never blocks on its reader.
    package func log(event: LogEvent) {
        var metadata = metadata
        if let provided = metadataProvider?.get() { metadata.merge(provided) { $1 } }
        if let error = event.error { metadata["error.message"] = "\(error)" }
        if let explicit = event.metadata { metadata.merge(explicit) { $1 } }
        output.write(level: event.level, message: event.message.description, metadata: metadata)
    }
}
