import Dispatch
import Logging
import Synchronization
import Testing
import XCallbackDaemon

@Suite(.timeLimit(.minutes(10)))
struct JournalOutputTests {
    @Test func aTextIsAnEntryForEachLine() {
        let journal = Journal()
        let output = JournalOutput(send: journal.take)
        output.write(level: .error, text: "a.yaml:1:1: no\n  1 | b\n\n1 fault\n")
        output.finish()
        #expect(journal.messages == ["a.yaml:1:1: no", "  1 | b", "", "1 fault"])
    }

    @Test func aJournalThatDoesNotReadKeepsNobodyWaiting() {
        let journal = Journal()
        let (isAsked, isReading) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let output = JournalOutput { entry in
            isAsked.signal()
            isReading.wait()
            isReading.signal()
            return journal.take(entry)
        }
        output.write(level: .info, message: "0", metadata: [:])
        isAsked.wait()
        let count = JournalOutput.maximumWaiting
        for number in 1..<count + 7 { output.write(level: .info, message: "\(number)", metadata: [:]) }
        isReading.signal()
        while journal.messages.count <= count { output.finish() }
        let loss = "7 log lines were lost: the journal accepted no more"
        #expect(journal.messages == ["0", loss] + (1..<count).map(String.init))
    }

    @Test func whatTheJournalRefusesIsReported() {
        let journal = Journal()
        let output = JournalOutput(send: journal.take)
        journal.refuses(true)
        // The journal does not take the report of the first loss either.
        for _ in 0..<3 { output.write(level: .info, message: "lost", metadata: [:]) }
        output.finish()
        journal.refuses(false)
        output.write(level: .info, message: "seen", metadata: [:])
        output.finish()
        #expect(journal.messages == ["3 log lines were lost: the journal accepted no more", "seen"])
    }

    @Test func whoWaitsForRoomGoesOnWhenTheJournalHasIt() {
        let journal = Journal()
        let output = JournalOutput(send: journal.take)
        output.waitsForRoom = true
        for number in 0..<(JournalOutput.maximumWaiting * 2) {
            output.write(level: .info, message: "\(number)", metadata: [:])
            #expect(journal.messages.count == number + 1)
        }
    }
}

/// Stands for the journal: keeps the text of each entry.
private final class Journal: Sendable {
    private let kept = Mutex<[String]>([])
    private let isRefusing = Mutex(false)

    var messages: [String] { kept.withLock { $0 } }

    func refuses(_ isRefusing: Bool) { self.isRefusing.withLock { $0 = isRefusing } }

    func take(_ entry: JournalEntry) -> Bool {
        if isRefusing.withLock({ $0 }) { return false }
        kept.withLock { $0.append(String(entry.fields[0].dropFirst("MESSAGE=".count))) }
        return true
    }
}
