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
            "cannot create the lock file of questions in $XDG_RUNTIME_DIR or $HOME: "
                + systemMessage(code))
    }

    /// The file in the folder of the user's daemon.
    private static var runtimePath: [String] {
        guard let runtime = variable("XDG_RUNTIME_DIR"), runtime.hasPrefix("/") else { return [] }
        mkdir("\(runtime)/xcallbackd", 0o700)
        return ["\(runtime)/xcallbackd/question.lock"]
    }

    /// The possible paths of the file, in folders that belong to the user.
    private static var paths: [String] {
        let folders = [
            variable("XDG_RUNTIME_DIR"), "/run/user/\(geteuid())", variable("XDG_CACHE_HOME"),
            variable("HOME").map { "\($0)/.cache" }, variable("HOME"),
        ]
        return runtimePath
            + folders.compactMap { folder in
                guard let folder, folder.hasPrefix("/") else { return nil }
                let isHidden = folder == variable("HOME")
                return "\(folder)/\(isHidden ? "." : "")xcallback-question.lock"
            }
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
