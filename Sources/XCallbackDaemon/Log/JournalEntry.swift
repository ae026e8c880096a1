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
            let value = "\(value)".utf8.prefix(LogLine.maximumLength)
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

/// The kinds of events that `systemd/xcallbackd.catalog` explains.
package enum JournalMessage {
    /// The identifier of each kind (sd-id128(3)), by the sentence in the log.
    ///
    /// An identifier never changes and is never reused, because searches contain it.
    package static let identifiers = [
        "ready": "cb6d71371eec437db132db22892e7c07",
        "stopping": "4cb16e23c5ec4f8792f102f358a7f4e8",
        "reloaded": "2e4797b26497429cbff3086ad79ca768",
        "not reloaded: the configuration has faults; the previous one stays active": "8a0aea7efc27490d8fa7dc1e005bc6db",
        "not started: the configuration has faults": "d2dea59576dd4c45947691f7415c9708",
        "not all files are served": "3081673aee4e291965f753f9a044bbde",
        "cannot serve": "0bfbf3261a084b2ba47025b9477fe43a",
        "request failed": "257856cce8f44189b069b54f5dd4b5b3",
        "request succeeded": "ce5e65ea1240468abdff8f9e7a9b61ad",
        "request cancelled": "bd4fc44a9ff845758c37cf9bf3bf4999",
        "request redirected": "1a5d248e4aba42b4b15b25f03f0bee3e",
        "action asked for": "509d48ba1b3c4a7f8ccc0a168a206fed",
        "handler failed": "343b24ec6c9a4c36ae80f52d20e18c21",
        "connection refused: too many connections": "d03b73b5d88043388bc583635467e6d3",
        "connection refused: too many connections of a user": "d03b73b5d88043388bc583635467e6d3",
        "connection ended": "66c88dd30d46490fb21bd6491b04a381",
        "log lines are suppressed": "e1f559c7912441229c538f0ad7ce2ea7",
        "a program failed": "f67b59d658df4e4f8ebb3e385e01b69e",
        "cannot start a program": "79330a59b222403e86d76e84dd8f0870",
        "cannot run a program through xcallbackd-run.socket": "a7e88e27cf144656a91b200f11fcc2fe",
    ]

    /// Returns the identifier of a message: of the whole sentence, or of the part before the first colon.
    static func identifier(of message: String) -> String? {
        identifiers[message] ?? identifiers[String(message.prefix { $0 != ":" })]
    }
}
