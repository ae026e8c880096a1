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

    /// The last request of a file, and how often an equal one has ended since.
    fileprivate struct Latest {
        let url: String
        let call: RecordedCall
        let origin: Origin
        let outcome: Response.Kind
        let code: CallbackError.Code?
        let id: RequestID?
        let end: Duration
        var count = 0
        var time = Duration.zero
    }

    let writer: HistoryWriter
    private var settings: HistorySettings
    private var latest: [HistoryFile: Latest] = [:]

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

    /// Keeps a request that has ended.
    func note(
        _ execution: borrowing Execution, of call: RecordedCall, after duration: Duration, on loop: isolated EventLoop
    ) {
        let (origin, route) = (execution.request.receivedOrigin, execution.request.matchedRoute)
        guard settings.origins.contains(origin.bit), route?.stages.settings.isRecorded != false else { return }
        let file = origin == .agent ? HistoryFile.agents : .own
        var code: CallbackError.Code?
        if case .error(let error) = execution.response { code = error.code }
        let entry = Latest(
            url: execution.request.receivedText, call: call, origin: origin, outcome: execution.response.kind,
            code: code,
            id: execution.request.id, end: loop.now + Self.repeatTime)
        if latest[file]?.takes(entry, at: loop.now) == true {
            if latest[file]?.count == 1 {
                _ = loop.call(after: Self.repeatTime) { [unowned self] in endRepeats(of: file, dueAt: loop.now) }
            }
            return
        }
        endRepeats(of: file)
        latest[file] = entry
        writer.write(to: file) {
            execution.historyEntry(of: call, at: wallTime(), after: duration)
        }
    }

    /// Writes how often the last request of a file has come again.
    private func endRepeats(of file: HistoryFile, dueAt now: Duration? = nil) {
        guard let last = latest[file], last.count > 0, now.map({ $0 >= last.end }) ?? true else { return }
        latest[file] = nil
        writer.write(to: file) {
            [
                "time": .number(JSONNumber(seconds: last.time)), "id": .text(last.id?.description),
                "again": .number(JSONNumber(last.count)),
            ]
        }
    }

    /// Writes what is pending; a disk that does not answer is given up soon.
    func finish() {
        for file in HistoryFile.allCases { endRepeats(of: file) }
        writer.finish()
    }
}

extension History.Latest {
    /// Counts an entry if it is equal and soon enough; returns whether it is.
    fileprivate mutating func takes(_ other: Self, at now: Duration) -> Bool {
        guard now < end, url == other.url, origin == other.origin, outcome == other.outcome, code == other.code,
            call.program == other.call.program
        else { return false }
        count += 1
        time = wallTime()
        return true
    }
}

/// Writes the files of the history in a thread of its own.
package final class HistoryWriter: Sendable {
    /// The maximum number of entries that wait for the disk.
    private static let limit = 1_024

    fileprivate struct State {
        var waiting = 0
        var written = 0
        var dropped = 0
        var fault: String?
    }

    private let folder: String
    private let queue = WorkQueue(keepsThread: true)
    private let state = Mutex(State())

    /// Creates a writer for the files in a folder, which need not exist.
    package init(in folder: String) {
        self.folder = folder
    }

    /// Writes an entry, or drops it if too many wait.
    fileprivate func write(to file: HistoryFile, _ entry: () -> JSONValue) {
        let hasRoom = state.withLock { state in
            let hasRoom = state.waiting < Self.limit
            if hasRoom { state.waiting += 1 } else { state.dropped += 1 }
            return hasRoom
        }
        guard hasRoom else { return }
        let line = entry().bytes + [UInt8(ascii: "\n")]
        do throws(SystemError) {
            try queue.async { [self] in
                let result = Result { () throws(SystemError) in try file.append(line, in: folder) }
                state.withLock { $0.end(result) }
            }
        } catch {
            state.withLock { $0.end(.failure(error)) }
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
    fileprivate mutating func end(_ result: Result<Void, SystemError>) {
        waiting -= 1
        switch result {
        case .success: written += 1
        case .failure(let error):
            dropped += 1
            fault = "\(error)"
        }
    }
}
