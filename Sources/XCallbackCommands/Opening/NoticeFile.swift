import Glibc
import XCallbackEventLoop
import XCallbackLinux

/// What an application's notifications have told lately, for the processes that show them, each of which knows of one.
///
/// A page can send any number of URLs; the person who reads notifications gets the first one at once, and what follows
/// within some seconds as one more.
struct NoticeFile {
    /// What becomes of a notice.
    enum Verdict {
        /// It is shown now.
        case show
        /// It is counted, and somebody has to show how many were, once the pause is over.
        case beginSum
        /// It is counted.
        case count
    }

    /// How long nothing follows a notification.
    static let pause = Duration.seconds(10)

    /// What the file holds.
    private struct Contents {
        /// When a notification was shown last, in milliseconds of the system's uptime.
        var time: Int64 = 0
        /// How many notices were counted since.
        var count = 0
        /// The text of the last one.
        var text = ""
    }

    private let folder: String
    private let name: String

    /// The file of an application; nil where the user's session has no folder for it.
    ///
    /// - Parameter application: What names it: a scheme.
    init?(of application: String) {
        guard let runtime = variable("XDG_RUNTIME_DIR"), application.hasOnlyAlphanumerics(and: "+-. ") else {
            return nil
        }
        // The daemon's folder, if there is a daemon.
        folder = "\(runtime)/xcallbackd"
        name = application
    }

    /// Takes a notice.
    ///
    /// - Parameter text: Its text.
    /// - Returns: What becomes of it; it is shown if the file cannot be used.
    func take(_ text: String) -> Verdict {
        change { contents in
            let age = Self.now - contents.time
            // Whoever had to show the sum has not: it was ended.
            let isStale = age >= 2 * Self.milliseconds(of: Self.pause) || age < 0
            if contents.count == 0 && age >= Self.milliseconds(of: Self.pause) || isStale {
                contents = Contents(time: Self.now)
                return .show
            }
            contents.count += 1
            contents.text = text
            return contents.count == 1 ? .beginSum : .count
        } ?? .show
    }

    /// Takes the notices that were counted.
    ///
    /// - Returns: How many they were, and the text of the last one.
    func takeSum() -> (count: Int, text: String) {
        change { contents in
            let sum = (contents.count, contents.text)
            contents = Contents(time: Self.now)
            return sum
        } ?? (0, "")
    }

    /// Changes what the file holds, while nobody else does.
    private func change<Result>(_ body: (inout Contents) -> Result) -> Result? {
        mkdir(folder, 0o700)
        mkdir("\(folder)/notices", 0o700)
        let file = open("\(folder)/notices/\(name)", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { return nil }
        defer { close(file) }
        guard flock(file, LOCK_EX) == 0 else { return nil }
        var bytes = [UInt8](repeating: 0, count: Self.limit)
        let count = max(read(file, &bytes, bytes.count), 0)
        let lines = String(decoding: bytes[..<count], as: UTF8.self).split(
            separator: "\n", maxSplits: 2, omittingEmptySubsequences: false)
        var contents = Contents()
        if lines.count == 3, let time = Int64(lines[0]), let count = Int(lines[1]) {
            contents = Contents(time: time, count: count, text: String(lines[2]))
        }
        let result = body(&contents)
        let text = Array("\(contents.time)\n\(contents.count)\n\(contents.text)".utf8.prefix(Self.limit))
        guard ftruncate(file, 0) == 0, pwrite(file, text, text.count, 0) == text.count else { return nil }
        return result
    }

    /// How many bytes of it are read.
    private static let limit = 8192

    private static var now: Int64 { monotonicTime() / 1_000_000 }

    private static func milliseconds(of duration: Duration) -> Int64 { Int64(duration / .milliseconds(1)) }
}
