import Glibc
import Testing
import XCallbackSystemd

struct LogLineFormatTests {
    @Test func aDescriptorThatIsTheStreamGetsTheFormatOfTheJournal() throws {
        let pipe = try Pipe()
        var status = stat()
        try #require(fstat(pipe.writing, &status) == 0)
        let format = LogLineFormat(descriptor: pipe.writing, journalStream: "\(status.st_dev):\(status.st_ino)")
        #expect(format == .journal)
    }

    @Test func aDescriptorThatWasRedirectedIsPlain() throws {
        let pipe = try Pipe()
        let other = try Pipe()
        var status = stat()
        try #require(fstat(other.writing, &status) == 0)
        let format = LogLineFormat(descriptor: pipe.writing, journalStream: "\(status.st_dev):\(status.st_ino)")
        #expect(format == .plain)
    }

    @Test(arguments: [nil, "", ":", "0:0", "journal", "1:2:3"])
    func anyOtherValueIsPlain(journalStream: String?) throws {
        let pipe = try Pipe()
        #expect(LogLineFormat(descriptor: pipe.writing, journalStream: journalStream) == .plain)
    }

    @Test func aDescriptorThatIsClosedIsPlain() {
        #expect(LogLineFormat(descriptor: -1, journalStream: "0:0") == .plain)
    }
}
