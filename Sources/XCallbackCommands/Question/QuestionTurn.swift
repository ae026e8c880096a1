import Glibc
import XCallbackLinux

/// The queue of questions: each user is asked one at a time.
enum QuestionTurn {
    /// Waits for the turn of this process, which lasts until the process ends.
    ///
    /// - Throws: ``QuestionObstacle`` if the user's questions have no place in common.
    static func take() throws(QuestionObstacle) {
        var code = ENOENT
        for path in paths {
            // The descriptor is never closed, because that would end the turn.
            let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
            code = errno
            guard descriptor >= 0 else { continue }
            while flock(descriptor, LOCK_EX) < 0 {
                code = errno
                guard code == EINTR else {
                    throw QuestionObstacle("'\(path)' cannot be locked: \(systemMessage(code))")
                }
            }
            return
        }
        throw QuestionObstacle(
            "cannot create the lock file of questions in $XDG_RUNTIME_DIR or ~/.cache: "
                + systemMessage(code))
    }

    /// The possible paths of the file: in the folder of the user's daemon, or in that of caches.
    private static var paths: [String] {
        let folder = "\(variable("XDG_RUNTIME_DIR") ?? "/run/user/\(geteuid())")/xcallbackd"
        mkdir(folder, 0o700)
        let cache = variable("XDG_CACHE_HOME") ?? variable("HOME").map { "\($0)/.cache" }
        return ["\(folder)/question.lock"] + (cache.map { ["\($0)/xcallback-question.lock"] } ?? [])
    }
}

/// The reason why the user cannot be asked.
struct QuestionObstacle: Error {
    /// The obstacle, in a few words.
    let text: String

    /// Creates the reason.
    init(_ text: String) {
        self.text = text
    }
}

extension QuestionObstacle {
    /// No display can be reached: windows cannot be shown.
    static var noDisplay: QuestionObstacle {
        let help =
            ManagerScope.user.isRunning
            ? "run '\(ManagerScope.displayImport)' in your desktop session"
            : "neither DISPLAY nor WAYLAND_DISPLAY leads to one"
        return QuestionObstacle("no display can be reached: \(help)")
    }
}
