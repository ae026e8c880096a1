import Synchronization
import XCallbackBuiltIns
import XCallbackEventLoop
import XCallbackLinux
import XCallbackRouter
import XCallbackURL
import XCallbackWire

/// What ran: keeps what the desktop, assistants and commands have asked in files of the user; lives on the event loop.
final class History {
    /// How long equal requests are counted rather than written.
    private static let repeatTime = Duration.seconds(60)
    /// How often old entries are looked for.
    private static let pruningPause = Duration.seconds(3600)

    /// The maximum number of entries a second: what is more was not asked by people.
    private static let rate = RateLimit(count: 2_000, period: .seconds(1))

    /// A file with the last request that was written, and how often an equal one has ended since.
    fileprivate struct Latest {
        var url: [UInt8] = []
        var caller: String?
        var isFollowUp = false
        var name: String?
        var origin = Origin.internal
        var code: CallbackError.Code?
        var outcome = Response.Kind.success
        var route: String?
        var id: RequestID?
        var end: Int64 = 0
        var count = 0
        var time: Int64 = 0
        var timer: DelayedCall?
    }

    let writer: HistoryWriter
    private var settings: HistorySettings
    /// Of each file, in their order.
    private var latest = HistoryFile.allCases.map { _ in Latest() }
    /// When the next entry of each file is due at the greatest rate.
    private var due: [Int64?] = HistoryFile.allCases.map { _ in nil }

    init(_ writer: HistoryWriter, _ settings: HistorySettings, on loop: isolated EventLoop) {
        self.writer = writer
        self.settings = settings
        prune(on: loop)
    }

    /// Uses other settings from now on.
    func use(_ new: HistorySettings, on loop: isolated EventLoop) {
        if new == settings { return }
        settings = new
        writer.prune(keeping: new.keep)
    }

    private func prune(on loop: isolated EventLoop) {
        writer.prune(keeping: settings.keep)
        _ = loop.call(after: Self.pruningPause) { [unowned self] in prune(on: loop) }
    }

    /// Keeps a request that has ended; `duration` is nil for one that did not wait.
    func note(
        _ execution: Execution, of call: RecordedCall, after duration: Duration?, on loop: isolated EventLoop
    ) {
        let origin = execution.request.receivedOrigin
        guard settings.origins.contains(origin.bit), execution.request.matchedRoute?.chain.isRecorded != false else {
            return
        }
        let (file, index) = origin == .agent ? (HistoryFile.agents, 1) : (.own, 0)
        if latest[index].takes(execution, of: call, at: loop.time) {
            if latest[index].timer == nil {
                latest[index].timer = loop.call(after: Self.repeatTime) { [unowned self] in
                    endRepeats(of: file, index, on: loop)
                }
            }
            return
        }
        endRepeats(of: file, index, on: loop)
        guard let next = Self.rate.next(after: due[index], at: loop.time) else {
            return writer.drop("more than \(Self.rate.count) actions came within a second")
        }
        due[index] = next
        let time = duration ?? .nanoseconds(monotonicTime() - loop.time)
        let isWritten = writer.write(to: file) { execution.historyEntry(of: call, at: wallTime(), after: time) }
        guard isWritten else { return }
        latest[index] = Latest(execution, of: call, until: loop.time + Self.repeatTime.wholeNanoseconds)
    }

    /// Writes how often the last request of a file has come again, and counts anew.
    private func endRepeats(of file: HistoryFile, _ index: Int, on loop: isolated EventLoop) {
        let last = latest[index]
        if let timer = last.timer { loop.cancel(timer) }
        latest[index] = Latest()
        guard last.count > 0 else { return }
        let time = wallTime() - .nanoseconds(loop.time - last.time)
        _ = writer.write(to: file, isRepeat: true) {
            .object(
                .init(present: [
                    "time": .number(JSONNumber(seconds: time)), "id": .text(last.id?.description),
                    "origin": .string(last.origin.rawValue), "route": last.route.map { .string($0) },
                    "outcome": .string(last.outcome.rawValue), "code": last.code.map { .whole($0.rawValue) },
                    "again": .whole(last.count),
                ]))
        }
    }

    /// Writes what is pending; a disk that does not answer is given up soon.
    func finish(on loop: isolated EventLoop) {
        for (index, file) in HistoryFile.allCases.enumerated() { endRepeats(of: file, index, on: loop) }
        writer.finish()
    }
}

extension History.Latest {
    fileprivate init(_ execution: borrowing Execution, of call: RecordedCall, until end: Int64) {
        // After a redirect, the URL is another one.
        if !execution.request.isRedirected { url = [UInt8](copying: execution.request.url.storage.bytes.span) }
        (caller, isFollowUp) = (call.caller, call.isFollowUp)
        name = execution.request.clientName
        route = execution.request.matchedRoute?.name
        origin = execution.request.receivedOrigin
        outcome = execution.response.kind
        code = execution.response.errorCode
        id = execution.request.id
        self.end = end
    }

    /// Counts a request if it is equal and soon enough; returns whether it is.
    fileprivate mutating func takes(_ execution: borrowing Execution, of call: RecordedCall, at now: Int64) -> Bool {
        guard now < end, areEqual(url.span, execution.request.url.storage.bytes.span), !execution.request.isRedirected,
            origin == execution.request.receivedOrigin, outcome == execution.response.kind,
            code == execution.response.errorCode, caller == call.caller, isFollowUp == call.isFollowUp,
            name == execution.request.clientName
        else { return false }
        count += 1
        time = now
        return true
    }
}

extension Response {
    fileprivate var errorCode: CallbackError.Code? {
        if case .error(let error) = self { error.code } else { nil }
    }
}

/// Writes the files of the history in a thread of its own.
package final class HistoryWriter: Sendable {
    /// The maximum number of entries that wait for the disk.
    private static let limit = 1_024

    fileprivate struct State {
        var waiting: [HistoryFile: Int] = [:]
        /// The last whole entries, and where they begin.
        var entries: [HistoryFile: (line: [UInt8], start: Int)] = [:]
        var written = 0
        var dropped = 0
        var fault: String?
    }

    private let folder: String
    private let queue = WorkQueue(idleTime: .seconds(1))
    private let state = Mutex(State())

    /// Creates a writer for the files in a folder, which need not exist.
    package init(in folder: String) {
        self.folder = folder
    }

    /// Writes an entry, or how often the last one has come again, or drops it if too many wait; returns whether it will be
    /// written.
    fileprivate func write(to file: HistoryFile, isRepeat: Bool = false, _ entry: () -> JSONValue) -> Bool {
        let hasRoom = state.withLock { state in
            let hasRoom = state.waiting[file, default: 0] < Self.limit
            if hasRoom { state.waiting[file, default: 0] += 1 }
            return hasRoom
        }
        guard hasRoom else {
            drop("the disk was too slow")
            return false
        }
        let line = entry().bytes + [UInt8(ascii: "\n")]
        do throws(SystemError) {
            try queue.async { [self] in
                // What the user has cleared does not come back.
                let first = isRepeat ? state.withLock { $0.entries[file] } : nil
                let result = Result { () throws(SystemError) in
                    let start = try file.append(line, in: folder, after: first)
                    if let start, !isRepeat { state.withLock { $0.entries[file] = (line, start) } }
                }
                state.withLock { $0.end(result, of: file) }
            }
            return true
        } catch {
            state.withLock { $0.end(.failure(error), of: file) }
            return false
        }
    }

    /// Counts an entry that is not written.
    fileprivate func drop(_ reason: String) {
        state.withLock { state in
            state.dropped += 1
            state.fault = reason
        }
    }

    /// Removes entries that are older than a time, if there is one.
    fileprivate func prune(keeping time: Duration?) {
        guard let time else { return }
        // Without a thread, the next attempt does it.
        try? queue.async { [folder] in
            for file in HistoryFile.allCases { try? file.prune(in: folder, keeping: time, at: wallTime()) }
        }
    }

    fileprivate func finish() { queue.finish(within: .seconds(1)) }

    /// What was written and dropped since the start, and why it was last dropped: `history` in the reply to `Status`.
    var json: JSONValue {
        state.withLock { state in
            [
                "folder": .string(folder), "written": .whole(state.written), "dropped": .whole(state.dropped),
                "fault": .text(state.fault),
            ]
        }
    }
}

extension HistoryWriter.State {
    /// Counts an entry that is written or not.
    fileprivate mutating func end(_ result: Result<Void, SystemError>, of file: HistoryFile) {
        waiting[file, default: 1] -= 1
        switch result {
        case .success: written += 1
        case .failure(let error):
            dropped += 1
            fault = "\(error)"
        }
    }
}
