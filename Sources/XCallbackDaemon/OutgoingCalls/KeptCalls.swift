import Glibc
import Logging
import XCallbackBuiltIns
import XCallbackEventLoop
import XCallbackPipeline

/// The calls of other applications that outlive the daemon; it lives on the event loop.
///
/// Each is on disk before its URL is opened. The next daemon takes the answer meanwhile, and its caller comes back with
/// a secret of its own.
final class KeptCalls {
    /// A call to an earlier daemon whose caller is not back yet.
    private struct Absent {
        let record: CallRecord
        let expiry: DelayedCall
    }

    /// Where they are; nil if nothing outlives the daemon.
    private let folder: CallFolder?
    private let tokens: TokenSource
    /// By the mark of the secret.
    private var absent: [String: Absent] = [:]
    private var isFolderMade = false
    private var failures = RefusalLog()
    private var isToldOfNone = false

    /// Creates the calls of a daemon.
    ///
    /// - Parameters:
    ///   - path: The folder where they are; nil if nothing outlives the daemon.
    ///   - tokens: What makes the secrets.
    init(in path: String?, _ tokens: TokenSource) {
        folder = path.map { CallFolder(path: $0) }
        self.tokens = tokens
    }

    /// Keeps a call that begins.
    ///
    /// - Parameters:
    ///   - token: What its return URLs hold.
    ///   - userID: Who calls.
    ///   - limit: How long it may take.
    ///   - logger: Who is told if it cannot be kept.
    ///   - loop: The loop that calls.
    /// - Returns: Its record and the secret that its caller comes back with; nil if it ends with the daemon.
    func keep(
        _ token: String, of userID: UInt32, for limit: Duration, _ logger: Logger, on loop: isolated EventLoop
    ) -> (record: CallRecord, secret: String)? {
        guard let folder else {
            if !isToldOfNone { logger.notice("calls end with the daemon: it has no folder for its state") }
            isToldOfNone = true
            return nil
        }
        let secret = tokens.make().description
        let record = CallRecord(
            mark: mark(of: token), secretMark: mark(of: secret), userID: userID, deadline: CallRecord.now + limit)
        do throws(SystemError) {
            if !isFolderMade { try folder.make() }
            isFolderMade = true
            try folder.write(record)
            return (record, secret)
        } catch {
            isFolderMade = false
            if failures.add(at: loop.now) != nil {
                logger.warning("a call ends with the daemon: it cannot be kept", metadata: ["error": "\(error)"])
            }
            return nil
        }
    }

    /// Forgets a call that has ended.
    func end(_ record: CallRecord) {
        folder?.remove(record.mark)
    }

    /// Keeps the answer to a call whose caller is away.
    ///
    /// If it cannot be written, it is lost if this daemon ends before the caller is back.
    func keep(_ answer: Response, to record: CallRecord, _ logger: Logger) {
        var record = record
        record.answer = answer
        do throws(SystemError) {
            try folder?.write(record)
        } catch {
            logger.warning("an answer cannot be kept on disk", metadata: ["error": "\(error)"])
        }
    }

    /// Takes what a caller that is back waits for.
    ///
    /// - Parameters:
    ///   - secret: What it was given.
    ///   - userID: Who it is.
    ///   - loop: The loop that calls.
    /// - Returns: The record of the call; nil if there is none of this user that nobody waits for.
    func resume(_ secret: String, _ userID: UInt32, on loop: isolated EventLoop) -> CallRecord? {
        let secretMark = mark(of: secret)
        guard let call = absent[secretMark], call.record.userID == userID else { return nil }
        absent[secretMark] = nil
        loop.cancel(call.expiry)
        return call.record
    }

    /// Takes over the calls of the daemon before this one.
    ///
    /// - Parameters:
    ///   - limit: How many there may be; those that would wait longest are given up.
    ///   - logger: Who is told.
    /// - Returns: What is left of them.
    func takeOver(limit: Int, _ logger: Logger) -> [CallRecord] {
        guard let folder else { return [] }
        let now = CallRecord.now
        let all = folder.read().sorted { $0.deadline < $1.deadline }
        let kept = all.filter { $0.deadline > now }.prefix(limit)
        let marks = Set(kept.map(\.mark))
        for record in all where !marks.contains(record.mark) { folder.remove(record.mark) }
        if !all.isEmpty {
            logger.info(
                "calls of the daemon before are waited for",
                metadata: ["calls": "\(kept.count)", "calls.given-up": "\(all.count - kept.count)"])
        }
        return Array(kept)
    }

    /// Lets a call to an earlier daemon wait for its caller.
    ///
    /// - Parameters:
    ///   - record: What is left of it.
    ///   - expiry: What forgets it when its time is over.
    func add(_ record: CallRecord, until expiry: DelayedCall) {
        absent[record.secretMark] = Absent(record: record, expiry: expiry)
    }

    /// Forgets a call whose time is over.
    func expire(_ record: CallRecord) {
        absent[record.secretMark] = nil
        end(record)
    }
}

// MARK: - What the service does with them

/// What hears the answer to a call whose caller is away.
func hearing(_ record: CallRecord, _ logger: Logger, on loop: isolated EventLoop) -> @Sendable (Response) -> Void {
    { [unowned loop] answer in
        loop.assumeIsolated { ($0.existingResident() as KeptCalls?)?.keep(answer, to: record, logger) }
    }
}

extension RequestService {
    /// Lets the calls of the daemon before this one wait for their answers and their callers.
    func takeOverCalls(on loop: isolated EventLoop) {
        for record in keptCalls.takeOver(limit: limits.outgoingCalls, announcer.logger) {
            let time = min(record.deadline - CallRecord.now, OutgoingCall.longestTime)
            keptCalls.add(record, until: loop.call(after: time) { [unowned self] in expire(record) })
            answerer.state[OutgoingCalls.self].begin(
                .mark(record.mark), of: record.userID, answered: record.answer,
                hear: hearing(record, announcer.logger, on: loop))
            answerer.state[OutgoingCalls.self].mark = { mark(of: $0) }
        }
    }

    private func expire(_ record: CallRecord) {
        answerer.state[OutgoingCalls.self].end(.mark(record.mark))
        keptCalls.expire(record)
    }
}
