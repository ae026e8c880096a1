import Glibc
import Testing
import XCallbackLinux

struct JournalStreamTests {
    @Test func onlyTheDescriptorOfTheStreamIsTheJournal() throws {
        let pipe = try Pipe()
        let redirected = try Pipe()
        var status = stat()
        try #require(fstat(pipe.writing, &status) == 0)
        let stream = "\(status.st_dev):\(status.st_ino)"
        #expect(isJournal(pipe.writing, stream: stream))
        #expect(!isJournal(redirected.writing, stream: stream))
    }

    @Test(arguments: [nil, "", ":", "0:0", "journal", "1:2:3"])
    func anyOtherValueIsOfAnotherStream(stream: String?) throws {
        let pipe = try Pipe()
        #expect(!isJournal(pipe.writing, stream: stream))
    }
}
