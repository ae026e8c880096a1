import CSystemd
import Glibc
package import Logging

/// One entry of the journal: what people read, and fields by which programs find it (systemd.journal-fields(7)).
package struct JournalEntry: Hashable, Sendable {
    /// The fields, each as `NAME=value`.
    package private(set) var fields: [String]

    /// Creates the entry of an event.
    ///
    /// - Parameters:
    ///   - level: How important it is.
    ///   - message: The fixed sentence of its kind; what differs from entry to entry may follow a colon.
    ///   - metadata: What is particular about it: it follows the sentence, and each piece is a field besides.
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

    /// Hands the entry to the journal, and waits while that does not read.
    ///
    /// - Returns: Whether the journal has it.
    package func send() -> Bool {
        let bytes = fields.flatMap(\.utf8)
        let result = bytes.withUnsafeBytes { bytes in
            var start = 0
            let vectors = fields.map { field in
                let length = field.utf8.count
                defer { start += length }
                // The function only reads, though its type does not say so.
                let base = UnsafeMutableRawPointer(mutating: bytes.baseAddress).map { $0 + start }
                return iovec(iov_base: base, iov_len: length)
            }
            return sd_journal_sendv(vectors, Int32(vectors.count))
        }
        return result >= 0
    }

    /// The name under which the journal keeps a piece of metadata: `peer.uid` as `XCALLBACK_PEER_UID`.
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

    /// The pieces that each request has.
    private static let shortNames = ["route.pattern": "route", "request.outcome": "outcome", "error.code": "code"]
}
