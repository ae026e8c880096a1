import ArgumentParser
import CLinux
import Glibc
import Synchronization
import XCallbackAdministration
import XCallbackClient
import XCallbackRouter

/// A notification that shows how far a request is, and cancels it.
///
/// It appears some time after the first progress, is renewed in place, and is gone when the request has its answer.
enum ProgressNotice {
    /// How long a request with progress takes before anything is shown, and the shortest time between two texts.
    private static let (delay, pause) = (Duration.seconds(2), Duration.seconds(1))
    private static let tick = Duration.milliseconds(200)

    /// Waits for an answer, and shows the progress of the request meanwhile.
    ///
    /// - Parameters:
    ///   - title: What runs, in one line.
    ///   - daemon: The daemon, which ends the request if the user presses the button.
    ///   - hidesText: Whether only the numbers are shown, because the text can repeat a secret.
    ///   - ask: Calls the daemon, with what to call with the progress. The request ends with the task.
    /// - Returns: The answer, also after a press of the button.
    /// - Throws: The error of `ask`.
    static func whileShown<Answer: Sendable>(
        _ title: String, of daemon: Client, hidingText hidesText: Bool = false,
        _ ask: @escaping @Sendable (_ progress: @escaping @Sendable (RequestProgress) -> Void) async throws -> Answer
    ) async throws -> Answer {
        let last = Last()
        return try await withThrowingTaskGroup(of: Answer?.self) { group in
            group.addTask { try await ask { last.progress = hidesText ? $0.withoutText : $0 } }
            group.addTask {
                // The answer is a cancel then, which the caller of the URL gets, too.
                if await show(title, last), let id = last.progress?.requestID { try? await daemon.cancel(id) }
                return nil
            }
            defer { group.cancelAll() }
            while let answer = try await group.next() { if let answer { return answer } }
            throw CancellationError()
        }
    }

    /// Shows the last progress until the task is cancelled, or the user closes the notification.
    ///
    /// - Returns: Whether the user has pressed its button.
    private static func show(_ title: String, _ last: Last) async -> Bool {
        while last.progress == nil { do { try await Task.sleep(for: tick) } catch { return false } }
        do { try await Task.sleep(for: delay) } catch { return false }
        // Its callbacks keep the address.
        let notice = UnsafeMutablePointer<xcb_notice>.allocate(capacity: 1)
        defer { notice.deallocate() }
        guard xcb_notice_open(notice) == 0 else { return false }
        defer { xcb_notice_close(notice) }
        var shown: RequestProgress?
        var nextTime = ContinuousClock.now
        while !Task.isCancelled {
            if let progress = last.progress, progress != shown, .now >= nextTime {
                let text = progress.description.isEmpty ? "It runs." : progress.description
                let body = text.withVisibleControls.html(escapingBackslash: "\\")
                guard xcb_notice_show(notice, title.withVisibleControls, body) == 0 else { return false }
                (shown, nextTime) = (progress, .now + pause)
            }
            try? await Task.sleep(for: tick)
            switch xcb_notice_update(notice) {
            case XCB_NOTICE_SHOWN: continue
            case let state: return state == XCB_NOTICE_PRESSED
            }
        }
        return false
    }

    private final class Last: Sendable {
        private let state = Mutex<RequestProgress?>(nil)

        var progress: RequestProgress? {
            get { state.withLock { $0 } }
            set { state.withLock { $0 = newValue } }
        }
    }
}
