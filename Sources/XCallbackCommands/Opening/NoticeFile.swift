import Glibc
import XCallbackEventLoop
import XCallbackLinux

/// The recent notifications of an application, shared by the processes that show them, one per process.
///
/// A page can send any number of URLs. The user sees the first notification at once, and a single summary of those that
/// follow within some seconds.
struct NoticeFile {
    /// The treatment of a notice.
    enum Verdict {
        /// It is shown now.
        case show
        /// It is counted, and the caller must show the number once the pause ends.
        case beginSum
        /// It is counted.
        case count
    }

    /// The minimum time between notifications.
    static let pause = Duration.seconds(10)

    /// The contents of the file.
    private struct Contents {
        /// The time of the last notification, in milliseconds of the system's uptime.
        var time: Int64 = 0
        /// The number of notices counted since then.
        var count = 0
        /// The text of the last notice.
        var text = ""
    }

    private let folder: String
    private let name: String

    /// Creates the file of an application; nil if the user's session has no folder for it.
    ///
    /// - Parameter application: The application's scheme.
    init?(of application: String) {
        guard let runtime = variable("XDG_RUNTIME_DIR"), application.hasOnlyAlphanumerics(and: "+-. ") else {
            return nil
        }
        // The daemon's folder, which may not exist.
        folder = "\(runtime)/xcallbackd"
        name = application
    }

    /// Records a notice.
    ///
    /// - Parameter text: Its text.
    /// - Returns: The treatment of the notice; it is shown if the file cannot be used.
    func take(_ text: String) -> Verdict {
        change { contents in
            let age = Self.now - contents.time
            // The process that had to show the summary was ended before.
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

    /// Takes the counted notices.
    ///
    /// - Returns: Their number, and the text of the last one.
    func takeSum() -> (count: Int, text: String) {
        change { contents in
            let sum = (contents.count, contents.text)
            contents = Contents(time: Self.now)
            return sum
        } ?? (0, "")
    }

    /// Changes the contents under an exclusive lock.
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

    /// The number of bytes that are read.
    private static let limit = 8192

    private static var now: Int64 { monotonicTime() / 1_000_000 }

    private static func milliseconds(of duration: Duration) -> Int64 { Int64(duration / .milliseconds(1)) }
}
