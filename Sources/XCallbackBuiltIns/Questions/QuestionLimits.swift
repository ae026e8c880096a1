import Glibc
package import XCallbackEventLoop
package import XCallbackLinux
package import XCallbackRouter
package import XCallbackURL

/// The questions that assistants and the desktop cause users to be asked; lives on the event loop.
///
/// Each user gets one question of assistants at a time, and one of the desktop about each action. After a denied, withdrawn,
/// or unanswered question, the action rests for that user and origin, so that dialogs cannot wear the user down.
package final class QuestionLimits {
    /// The time that an action rests after a question that was not approved.
    private static let rest = Duration.seconds(30)
    /// The time between reminders of an open question.
    private static let reminderPause = Duration.seconds(10)
    /// The maximum number of resting actions of an owner of users, who can have thousands of user IDs; after that, the first of
    /// them can be asked about again.
    package static let limit = 64

    /// An action, as a user requests it through an assistant or the desktop.
    package struct Action: Hashable {
        let userID: UInt32
        let origin: Origin
        let route: UInt64

        /// Creates an action.
        ///
        /// - Parameters:
        ///   - userID: The user.
        ///   - origin: The way of the request.
        ///   - route: The identity of the route.
        package init(userID: UInt32, origin: Origin, route: UInt64) {
            self.userID = userID
            self.origin = origin
            self.route = route
        }

        /// The action, or all actions if one question of them is asked at a time.
        fileprivate var turn: Action {
            Action(userID: userID, origin: origin, route: origin == .agent ? 0 : route)
        }

        fileprivate var sender: String { origin == .agent ? "an assistant" : "the desktop" }
    }

    /// The turns of open questions, and when the next request for the same may remind the user.
    private var asked: [Action: Duration] = [:]
    /// The time at which each action can be asked about again.
    private var rests: [Action: (owner: Owner, end: Duration)] = [:]

    package init() {}

    /// Starts a question.
    ///
    /// - Parameters:
    ///   - action: The action.
    ///   - now: The time.
    ///   - remind: Reminds the user of the open question about the action.
    /// - Throws: ``CallbackError`` 429 if the user must not be asked now.
    package func begin(_ action: Action, at now: Duration, remind: () -> Void) throws(CallbackError) {
        if let end = rests[action]?.end, end > now {
            let seconds = max((end - now).components.seconds, 1)
            throw CallbackError(
                .tooMany, "The user did not allow this action: \(action.sender) may ask again in \(seconds) s.")
        }
        if let reminderTime = asked[action.turn] {
            if action.origin == .agent {
                throw CallbackError(.tooMany, "A question from an assistant is still open: there is one at a time.")
            }
            if reminderTime <= now {
                asked[action.turn] = now + Self.reminderPause
                remind()
            }
            throw CallbackError(.tooMany, "The question about this action is still open: answer its window first.")
        }
        asked[action.turn] = now
    }

    /// Ends a question.
    package func end(_ action: Action, isNo: Bool, of owner: Owner, at now: Duration) {
        asked[action.turn] = nil
        guard isNo else { return }
        rests = rests.filter { $0.value.end > now }
        let others = rests.filter { $0.value.owner == owner }
        if others.count >= Self.limit, let first = others.min(by: { $0.value.end < $1.value.end }) {
            rests[first.key] = nil
        }
        rests[action] = (owner, now + Self.rest)
    }
}

extension QuestionLimits.Action {
    /// Creates the action that a request asks for.
    package init(_ request: Request) {
        self.init(
            userID: request.peer.userID, origin: request.receivedOrigin, route: request.matchedRoute?.identityHash ?? 0)
    }
}

/// The turn of a process that asks the user: each user is asked one question at a time.
///
/// The turn is a lock on a file: the kernel knows which process has it, and ends it with the process. The file names the
/// route that the question is about.
package enum QuestionTurn {
    /// The signal that makes a process show its question again.
    package static let reminder = SIGUSR1

    /// The possible paths of the file: in the folder of the user's daemon, or in that of caches.
    private static var paths: [String] {
        let folder = "\(variable("XDG_RUNTIME_DIR") ?? "/run/user/\(geteuid())")/xcallbackd"
        mkdir(folder, 0o700)
        let cache = variable("XDG_CACHE_HOME") ?? variable("HOME").map { "\($0)/.cache" }
        return ["\(folder)/question.lock"] + (cache.map { ["\($0)/xcallback-question.lock"] } ?? [])
    }

    /// Waits for the turn of this process, which lasts until the process ends; a reminder waits until it is read.
    ///
    /// - Parameter route: The route that the question is about; empty for none.
    /// - Throws: ``SystemError`` if no file can be locked.
    package static func take(for route: String) throws(SystemError) {
        var signals = signalSet([reminder])
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        var code = ENOENT
        for path in paths {
            // It is never closed, because that would end the turn.
            let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
            code = errno
            guard file >= 0 else { continue }
            var lock = flock()
            lock.l_type = Int16(F_WRLCK)
            _ = try SystemError.check("fcntl") { fcntl(file, F_SETLKW, &lock) }
            ftruncate(file, 0)
            _ = route.withCString { pwrite(file, $0, strlen($0), 0) }
            return
        }
        throw SystemError("open", code: code)
    }

    /// Reminds the process whose turn it is, if its question is about a route.
    package static func remind(of route: String) {
        for path in paths {
            let file = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
            guard file >= 0 else { continue }
            defer { close(file) }
            var lock = flock()
            lock.l_type = Int16(F_WRLCK)
            if fcntl(file, F_GETLK, &lock) == 0, lock.l_type == Int16(F_WRLCK), lock.l_pid > 0,
                let asked = try? readAll(file, atMost: route.utf8.count + 1), asked.elementsEqual(route.utf8)
            {
                kill(lock.l_pid, reminder)
            }
        }
    }
}
