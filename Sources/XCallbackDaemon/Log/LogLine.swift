// Its header includes <sys/types.h>, so `timespec` may belong to this module as well as to Glibc.
import CSystemd
import Glibc
import Logging
import XCallbackLinux

/// The bytes of an event in the log: always exactly one line of at most 4 KiB.
///
/// 4 KiB is `PIPE_BUF`, so lines of several writers never mix. A longer line is cut and ends in `…`.
struct LogLine {
    /// The maximum number of bytes in a line, including the line feed.
    static let maximumLength = 4_096
    private static let end = Array("…\n".utf8)

    private var text: [UInt8] = []
    private var isCut = false

    /// Creates a line without a prefix, for outputs that carry time and level in another way.
    init() {}

    /// Creates the start of a line.
    init(format: LogLineFormat, level: Logger.Level, date: @autoclosure () -> Duration) {
        switch format {
        case .plain:
            let padding = String(repeating: " ", count: max(0, 5 - level.rawValue.count))
            append(whole: "\(date().dateText(as: "%Y-%m-%dT%H:%M:%S"))Z \(level)\(padding) ")
        case .journal:
            append(whole: "<\(level.priority)>")
        }
    }

    /// Creates a line from a text for people; in the journal it has a priority.
    init(format: LogLineFormat, level: Logger.Level, part: Substring) {
        if format == .journal { append(whole: "<\(level.priority)>") }
        append(sentence: String(part))
    }

    /// The bytes of the line, including the line feed.
    var bytes: [UInt8] { text + (isCut ? Self.end : Self.end.suffix(1)) }

    /// The line without its line feed.
    var sentence: String { String(decoding: bytes.dropLast(), as: UTF8.self) }

    /// Appends a sentence with control characters escaped.
    mutating func append(sentence: String) {
        for scalar in sentence.unicodeScalars where !isCut { append(scalar) }
    }

    /// Appends ` key=value` for each key in order.
    mutating func append(metadata: Logger.Metadata) {
        for (key, value) in metadata.sorted(by: { $0.key < $1.key }) where !isCut {
            append(whole: " ")
            append(word: key)
            append(whole: "=")
            append(word: "\(value)")
        }
    }

    /// Appends a text, in quotes if its end would otherwise be ambiguous.
    private mutating func append(word: String) {
        let isPlain = word.unicodeScalars.allSatisfy { $0 != "\"" && $0 != "\\" && !$0.isBlank && !$0.isInvisible }
        guard !isPlain || word.isEmpty else { return append(sentence: word) }
        append(whole: "\"")
        for scalar in word.unicodeScalars where !isCut {
            switch scalar {
            case "\"": append(whole: "\\\"")
            case "\\": append(whole: "\\\\")
            default: append(scalar)
            }
        }
        append(whole: "\"")
    }

    /// Appends a character, escaped if a terminal or a line reader could interpret it.
    private mutating func append(_ scalar: Unicode.Scalar) {
        switch scalar {
        case "\n": append(whole: "\\n")
        case "\r": append(whole: "\\r")
        case "\t": append(whole: "\\t")
        case _ where scalar.isInvisible: append(whole: "\\u{\(String(scalar.value, radix: 16))}")
        default: append(whole: String(scalar))
        }
    }

    /// Appends a text completely; if it does not fit, cuts the line and ignores all later text.
    private mutating func append(whole text: String) {
        isCut = isCut || text.utf8.count > room
        if !isCut { self.text.append(contentsOf: text.utf8) }
    }

    /// The number of bytes left, without the mark of a cut.
    private var room: Int { isCut ? -1 : Self.maximumLength - Self.end.count - text.count }
}

extension Unicode.Scalar {
    fileprivate var isBlank: Bool { properties.generalCategory == .spaceSeparator }

    /// Whether the character is not visible but changes how a line looks or where it ends.
    fileprivate var isInvisible: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}

extension Logger.Level {
    /// The corresponding priority of syslog(3).
    var priority: Int {
        switch self {
        case .trace, .debug: 7
        case .info: 6
        case .notice: 5
        case .warning: 4
        case .error: 3
        case .critical: 2
        }
    }
}

/// The format of the start of a log line: for people and files, or for the journal.
package enum LogLineFormat: Hashable, Sendable {
    /// A timestamp and the level name, for a terminal or a file.
    case plain
    /// The priority in the format of sd-daemon(3), for the journal, which records the time itself.
    case journal
}
