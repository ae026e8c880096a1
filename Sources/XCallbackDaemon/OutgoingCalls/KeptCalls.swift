import Glibc
import Logging
import XCallbackBuiltIns
import XCallbackEventLoop
import XCallbackLinux
import XCallbackPipeline

/// The outgoing calls that outlive the daemon; lives on the event loop.
///
/// Each call is on disk before its URL is opened. The next daemon accepts the answer, and the caller resumes the call
/// with a secret of its own.
final class KeptCalls {
    /// A call to an earlier daemon whose caller has not resumed it yet.
    private struct Absent {
        let record: CallRecord
        /// The account to which the call counts.
        let account: Account
        let expiry: DelayedCall
    }

    /// How long a call waits to be stored on disk; after that, it ends with the daemon.
    private static let patience = Duration.seconds(2)
    private static let late = SystemError("the disk does not respond", code: ETIMEDOUT)

    /// The store of the records; nil if calls do not outlive the daemon.
    private let store: CallStore?
    /// The calls by the mark of their secret.
    private var absent: [String: Absent] = [:]
    /// The number of records that are being written.
    private var writingCount = 0
    /// Whether the records of the previous daemon are being read.
    private(set) var isReading = false
    private var isToldOfNone = false

    /// Creates the calls of a daemon.
    ///
    /// - Parameter store: The store of the records; nil if calls do not outlive the daemon.
    init(in store: CallStore?) {
        self.store = store
    }

    /// Stores a call when it begins.
    ///
    /// - Parameters:
    ///   - token: The token in its return URLs.
    ///   - userID: The user who made the call.
    ///   - limit: The time limit of the call.
    ///   - maximum: The maximum number of records being written; a call over the limit ends with the daemon.
    ///   - logger: Logs that the call cannot be stored.
    ///   - loop: The loop of the caller.
    ///   - done: Receives the record and the secret for the caller, once the record is on disk; nil if the call ends
    ///     with the daemon.
    func keep(
        _ token: String, of userID: UInt32, for limit: Duration, maximum: Int, _ logger: Logger,
        on loop: isolated EventLoop, done: @escaping ((record: CallRecord, secret: String)?) -> Void
    ) {
        guard let store else {
            if !isToldOfNone { logger.notice("outgoing calls do not survive a restart: there is no state directory") }
            isToldOfNone = true
            return done(nil)
        }
        let secret = Token.random().description
        let record = CallRecord(
            mark: mark(of: token), secretMark: mark(of: secret), userID: userID, deadline: wallTime() + limit)
        let finish = { (error: SystemError?) in
            if let error, loop.takeLogLine(of: userID, .socket) {
                logger.warning(
                    "a call does not survive a restart: cannot save it",
                    metadata: ["peer.uid": "\(userID)", "error": "\(error)"])
            }
            done(error == nil ? (record, secret) : nil)
        }
        guard writingCount < maximum else { return finish(Self.late) }
        write(record, to: store, on: loop, done: finish) { store.remove(record.mark) }
    }

    /// Writes a record.
    ///
    /// - Parameters:
    ///   - record: The record.
    ///   - store: The store.
    ///   - loop: The loop of the caller.
    ///   - done: Called when the record is on disk, or with an error if that fails or takes too long.
    ///   - late: Called when the record is on disk after it took too long.
    private func write(
        _ record: CallRecord, to store: CallStore, on loop: isolated EventLoop,
        done: @escaping (SystemError?) -> Void, late: @escaping () -> Void = {}
    ) {
        let outcome = Once(done)
        let timer = loop.call(after: Self.patience) { outcome.take(Self.late) }
        writingCount += 1
        let writing = store.write(record)
        Task.immediate(executorPreference: loop.executor) {
            let error = await writing.value
            writingCount -= 1
            loop.cancel(timer)
            if !outcome.take(error), error == nil { late() }
        }
    }

    /// Removes a call that has ended.
    func end(_ record: CallRecord) {
        store?.remove(record.mark)
    }

    /// Stores the answer to a call whose caller is away.
    ///
    /// If the answer cannot be stored, it is lost when this daemon ends before the caller resumes the call.
    ///
    /// - Returns: A task that ends once the answer is on disk, or cannot be written.
    func keep(
        _ answer: Response, to record: CallRecord, _ logger: Logger, on loop: isolated EventLoop
    ) -> Task<Void, Never>? {
        guard let store else { return nil }
        var record = record
        record.answer = answer
        let (outcomes, outcome) = AsyncStream<SystemError?>.makeStream()
        write(record, to: store, on: loop) {
            outcome.yield($0)
            outcome.finish()
        }
        return Task.immediate(executorPreference: loop.executor) {
            for await case let error? in outcomes where loop.takeLogLine(of: record.userID, .socket) {
                logger.warning(
                    "cannot save an answer to disk",
                    metadata: ["peer.uid": "\(record.userID)", "error": "\(error)"])
            }
        }
    }

    /// Resumes a call for its caller.
    ///
    /// - Parameters:
    ///   - secret: The secret that the caller was given.
    ///   - userID: The user of the caller.
    ///   - loop: The loop of the caller.
    /// - Returns: The call, which still counts toward its account; nil if this user has no such call without a caller.
    func resume(_ secret: String, _ userID: UInt32, on loop: isolated EventLoop) -> OutgoingCall? {
        let secretMark = mark(of: secret)
        guard let call = absent[secretMark], call.record.userID == userID else { return nil }
        absent[secretMark] = nil
        loop.cancel(call.expiry)
        var outgoingCall = OutgoingCall(call.record)
        outgoingCall.account = call.account
        return outgoingCall
    }

    /// Takes over the calls of the previous daemon.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of calls; those with the latest deadlines are dropped.
    ///   - logger: Logs the result.
    /// - Returns: The records of the calls.
    func takeOver(limit: Int, _ logger: Logger) async -> [CallRecord] {
        guard let store else { return [] }
        isReading = true
        defer { isReading = false }
        let all = await store.read().value.sorted { $0.deadline < $1.deadline }
        let now = wallTime()
        let kept = all.filter { $0.deadline > now }.prefix(limit)
        let marks = Set(kept.map(\.mark))
        for record in all where !marks.contains(record.mark) { store.remove(record.mark) }
        if !all.isEmpty {
            logger.info(
                "resumed calls from before the restart",
                metadata: ["calls": "\(kept.count)", "calls.given-up": "\(all.count - kept.count)"])
        }
        return Array(kept)
    }

    /// Whether the previous daemon may have left calls.
    var mayTakeOver: Bool { store != nil }

    /// Adds a call to an earlier daemon, which waits for its caller.
    ///
    /// - Parameters:
    ///   - record: The record of the call.
    ///   - account: The account to which the call counts.
    ///   - expiry: The timer that removes the call when it expires.
    func add(_ record: CallRecord, _ account: Account, until expiry: DelayedCall) {
        account.hold(.streams, 1)
        absent[record.secretMark] = Absent(record: record, account: account, expiry: expiry)
    }

    /// Removes an expired call.
    func expire(_ record: CallRecord) {
        absent.removeValue(forKey: record.secretMark)?.account.give(.streams)
        end(record)
    }
}

// MARK: - What the service does with them

/// Returns the function that receives the answer to a call whose caller is away.
func hearing(_ record: CallRecord, _ logger: Logger, on loop: isolated EventLoop) -> OutgoingCalls.Hearing {
    { [unowned loop] answer in
        loop.assumeIsolated { ($0.existingResident() as KeptCalls?)?.keep(answer, to: record, logger, on: $0) }
    }
}

extension RequestService {
    /// How long clients wait at startup while the calls of the previous daemon are read.
    private static let takeoverPatience = Duration.seconds(2)

    /// Restores the calls of the previous daemon; until then no connection is accepted, so that no expected answer is rejected.
    ///
    /// - Parameters:
    ///   - loop: The loop.
    ///   - done: Called when the calls are restored, or when reading them takes too long.
    func takeOverCalls(on loop: isolated EventLoop, done: @escaping () -> Void) {
        guard keptCalls.mayTakeOver else { return done() }
        loop.holdAccepting(for: .calls)
        let outcome = Once<Void> {
            loop.resumeAccepting(for: .calls)
            done()
        }
        let timer = loop.call(after: Self.takeoverPatience) { [self] in
            announcer.logger.warning("calls from before the restart are not resumed yet: the disk does not respond")
            outcome.take(())
        }
        Task.immediate(executorPreference: loop.executor) {
            for record in await keptCalls.takeOver(limit: limits.capacity[.streams], announcer.logger) {
                wait(for: record, on: loop)
            }
            loop.cancel(timer)
            outcome.take(())
        }
    }

    private func wait(for record: CallRecord, on loop: isolated EventLoop) {
        let time = min(max(record.deadline - wallTime(), .zero), OutgoingCall.longestTime)
        let expiry = loop.call(after: time) { [unowned self] in expire(record) }
        keptCalls.add(record, loop.account(of: record.userID, .socket), until: expiry)
        answerer.state[OutgoingCalls.self].begin(
            .mark(record.mark), of: record.userID, answered: record.answer,
            hear: hearing(record, announcer.logger, on: loop))
        answerer.state[OutgoingCalls.self].mark = { mark(of: $0) }
    }

    private func expire(_ record: CallRecord) {
        answerer.state[OutgoingCalls.self].end(.mark(record.mark))
        keptCalls.expire(record)
    }
}

extension AcceptingHold {
    /// The calls of the previous daemon are being read.
    fileprivate static let calls = Self(rawValue: 1 << 0)
}
