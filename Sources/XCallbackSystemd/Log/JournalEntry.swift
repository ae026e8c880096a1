import CSystemd
import Glibc
package import Logging

/// A journal entry: a message for people, and fields for searches by programs (systemd.journal-fields(7)).
package struct JournalEntry: Hashable, Sendable {
    /// The fields, each as `NAME=value`.
    package private(set) var fields: [String]

    /// Creates the entry of an event.
    ///
    /// - Parameters:
    ///   - level: The severity.
    ///   - message: The fixed sentence of its kind; details may follow a colon.
    ///   - metadata: The details: they follow the sentence, and each is also a field.
    package init(level: Logger.Level, message: String, metadata: Logger.Metadata = [:]) {
        var line = LogLine()
        line.append(sentence: message)
        line.append(metadata: metadata)
        fields = ["MESSAGE=\(line.sentence)", "PRIORITY=\(level.priority)", "SYSLOG_IDENTIFIER=xcallbackd"]
        if let kind = JournalMessage.identifier(of: message) { fields.append("MESSAGE_ID=\(kind)") }
        for (key, value) in metadata.sorted(by: { $0.key < $1.key }) {
            let value = value.text.utf8.prefix(LogLine.maximumLength)
            fields.append("\(Self.fieldName(of: key))=\(String(decoding: value, as: UTF8.self))")
        }
    }

    /// Sends the entry to the journal; blocks while the journal does not read.
    ///
    /// - Returns: Whether the journal has accepted the entry.
    package func send() -> Bool {
        let bytes = fields.flatMap(\.utf8)
        let result = bytes.withUnsafeBytes { bytes in
            var start = 0
            let vectors = fields.map { field in
                let length = field.utf8.count
                defer { start += length }
                // The function only reads, although its parameter is a mutable pointer.
                let base = UnsafeMutableRawPointer(mutating: bytes.baseAddress).map { $0 + start }
                return iovec(iov_base: base, iov_len: length)
            }
            return sd_journal_sendv(vectors, Int32(vectors.count))
        }
        return result >= 0
    }

    /// Returns the journal field of a metadata key: `XCALLBACK_PEER_UID` for `peer.uid`.
    private static func fieldName(of key: String) -> String {
        let letters = (shortNames[key] ?? key).utf8.prefix(48).map { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"): byte - 32
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): byte
            default: UInt8(ascii: "_")
            }
        }
        return "XCALLBACK_" + String(decoding: letters, as: UTF8.self)
    }

    /// Shorter names for the metadata of each request.
    private static let shortNames = ["route.pattern": "route", "request.outcome": "outcome", "error.code": "code"]
}
