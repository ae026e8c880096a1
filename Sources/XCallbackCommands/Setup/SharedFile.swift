import Glibc
import XCallbackLinux

/// A small file of the user's session that the processes of the command share, locked as long as this value exists.
struct SharedFile: ~Copyable {
    /// The maximum size that is read and written.
    static let limit = 16_384

    private let file: Descriptor

    /// Opens and locks a file, whose former owner is waited for; nil if the session has no folder for it.
    ///
    /// - Parameter name: The path in the folder of the user's daemon, or else in that of the command's caches.
    init?(_ name: String) {
        let runtime = "\(variable("XDG_RUNTIME_DIR") ?? "/run/user/\(geteuid())")/xcallbackd"
        let cache = variable("XDG_CACHE_HOME") ?? variable("HOME").map { "\($0)/.cache" }
        var number: Int32 = -1
        for folder in [runtime] + (cache.map { ["\($0)/xcallback"] } ?? []) where number < 0 {
            let path = "\(folder)/\(name)"
            mkdir(path.parent.parent, 0o700)
            mkdir(path.parent, 0o700)
            number = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        }
        guard number >= 0 else { return nil }
        file = Descriptor(number)
        while flock(number, LOCK_EX) < 0, errno == EINTR {}
    }

    /// Reads the text; empty if it cannot be read.
    borrowing func read() -> String { (try? SmallFile(descriptor: file.number, atMost: Self.limit))?.text ?? "" }

    /// Replaces the text; a text over the limit changes nothing.
    borrowing func write(_ text: String) {
        let bytes = Array(text.utf8)
        if bytes.count <= Self.limit, ftruncate(file.number, 0) == 0 { pwrite(file.number, bytes, bytes.count, 0) }
    }
}
