import Glibc
import Logging
import XCallbackBuiltIns
import XCallbackEventLoop
import XCallbackLinux
import XCallbackPipeline

/// The calls of other applications that outlive the daemon; it lives on the event loop.
///
/// Each is on disk before its URL is opened. The next daemon takes the answer meanwhile, and its caller comes back with
/// a secret of its own.
final class KeptCalls {
    /// A call to an earlier daemon whose caller is not back yet.
    private struct Absent {
        let record: CallRecord
        /// What holds the call.
        let account: Account
        let expiry: DelayedCall
    }

    /// How long a call waits until it is on disk; then it ends with the daemon.
    private static let patience = Duration.seconds(2)
    private static let late = SystemError("the disk does not respond", code: ETIMEDOUT)

    /// Where they are; nil if nothing outlives the daemon.
    private let store: CallStore?
    private let tokens: TokenSource
    /// By the mark of the secret.
    private var absent: [String: Absent] = [:]
    /// How many are being written.
    private var writingCount = 0
    /// Whether those of the daemon before this one are being read.
    private(set) var isReading = false
    private var isToldOfNone = false

    /// Creates the calls of a daemon.
    ///
    /// - Parameters:
    ///   - store: Where they are; nil if nothing outlives the daemon.
    ///   - tokens: What makes the secrets.
    init(in store: CallStore?, _ tokens: TokenSource) {
        self.store = store
        self.tokens = tokens
    }

    /// Keeps a call that begins.
    ///
    /// - Parameters:
    ///   - token: What its return URLs hold.
    ///   - userID: The user who calls.
    ///   - limit: How long it may take.
    ///   - maximum: How many may be on their way to the disk; another one ends with the daemon.
    ///   - logger: What logs that it cannot be kept.
    ///   - loop: The loop that calls.
    ///   - done: Is given its record and the secret that its caller comes back with, once it is on disk; nil if it ends
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
        let secret = tokens.make().description
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
    ///   - store: Where it is kept.
    ///   - loop: The loop that calls.
    ///   - done: Called when it is on disk, or with an error if that fails or takes too long.
    ///   - late: Called when it is on disk after that took too long.
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

    /// Forgets a call that has ended.
    func end(_ record: CallRecord) {
        store?.remove(record.mark)
    }

    /// Keeps the answer to a call whose caller is away.
    ///
    /// If it cannot be kept, it is lost if this daemon ends before the caller is back.
    ///
    /// - Returns: What ends once it is on disk, or cannot be written.
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

    /// Takes what a caller that is back waits for.
    ///
    /// - Parameters:
    ///   - secret: What it was given.
    ///   - userID: Who it is.
    ///   - loop: The loop that calls.
    /// - Returns: The call, which the account that holds it goes on to hold; nil if there is none of this user without
    ///   a caller.
    func resume(_ secret: String, _ userID: UInt32, on loop: isolated EventLoop) -> OutgoingCall? {
        let secretMark = mark(of: secret)
        guard let call = absent[secretMark], call.record.userID == userID else { return nil }
        absent[secretMark] = nil
        loop.cancel(call.expiry)
        var outgoingCall = OutgoingCall(call.record)
        outgoingCall.account = call.account
        return outgoingCall
    }

    /// Takes over the calls of the daemon before this one.
    ///
    /// - Parameters:
    ///   - limit: How many there may be; those that would wait longest are given up.
    ///   - logger: What logs it.
    /// - Returns: What is left of them.
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

    /// Whether there may be calls of a daemon before this one.
    var mayTakeOver: Bool { store != nil }

    /// Lets a call to an earlier daemon wait for its caller.
    ///
    /// - Parameters:
    ///   - record: What is left of it.
    ///   - account: What holds the call.
    ///   - expiry: What forgets it when its time is over.
    func add(_ record: CallRecord, _ account: Account, until expiry: DelayedCall) {
        account.hold(.outgoingCalls, 1)
        absent[record.secretMark] = Absent(record: record, account: account, expiry: expiry)
    }

    /// Forgets a call whose time is over.
    func expire(_ record: CallRecord) {
        absent.removeValue(forKey: record.secretMark)?.account.give(.outgoingCalls)
        end(record)
    }
}

// MARK: - What the service does with them

/// What hears the answer to a call whose caller is away.
func hearing(_ record: CallRecord, _ logger: Logger, on loop: isolated EventLoop) -> OutgoingCalls.Hearing {
    { [unowned loop] answer in
        loop.assumeIsolated { ($0.existingResident() as KeptCalls?)?.keep(answer, to: record, logger, on: $0) }
    }
}

extension RequestService {
    /// How long clients wait at the start for the calls of the daemon before this one to be read.
    private static let takeoverPatience = Duration.seconds(2)

    /// Lets the calls of the daemon before this one wait for their answers and their callers; until then nobody is
    /// accepted, so that no answer is refused that is waited for.
    ///
    /// - Parameters:
    ///   - loop: The loop.
    ///   - done: Called when they wait, or when reading them takes too long.
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
            for record in await keptCalls.takeOver(limit: limits.accounts[.outgoingCalls][.all], announcer.logger) {
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
    /// The calls of the daemon before this one are being read.
    fileprivate static let calls = Self(rawValue: 1 << 0)
}
