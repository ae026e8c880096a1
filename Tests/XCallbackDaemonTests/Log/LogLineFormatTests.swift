import Glibc
import Testing
import XCallbackDaemon

struct LogLineFormatTests {
    @Test func onlyTheDescriptorOfTheStreamGetsTheFormatOfTheJournal() throws {
        let pipe = try Pipe()
        let redirected = try Pipe()
        var status = stat()
        try #require(fstat(pipe.writing, &status) == 0)
        let stream = "\(status.st_dev):\(status.st_ino)"
        #expect(LogLineFormat(descriptor: pipe.writing, journalStream: stream) == .journal)
        #expect(LogLineFormat(descriptor: redirected.writing, journalStream: stream) == .plain)
    }

    @Test(arguments: [nil, "", ":", "0:0", "journal", "1:2:3"])
    func anyOtherValueIsPlain(journalStream: String?) throws {
        let pipe = try Pipe()
        #expect(LogLineFormat(descriptor: pipe.writing, journalStream: journalStream) == .plain)
    }
}
