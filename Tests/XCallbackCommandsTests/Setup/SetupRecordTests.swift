import Testing
import XCallbackCommands

struct SetupRecordTests {
    private static let record: SetupRecord = {
        var record = SetupRecord()
        let file = WrittenFile(path: "/a/ä", hash: "2")
        let program = WrittenFile(path: "/a/b", hash: "1")
        var notes = SetupRecord.Entry(name: "notes", files: [file, program])
        notes.schemes = ["notes"]
        record["notes"] = notes
        record["todo"] = SetupRecord.Entry(name: "todo", files: [])
        record.hasEnabledSocket = true
        return record
    }()

    @Test func whatIsWrittenIsReadAgain() {
        #expect(SetupRecord(Self.record.text) == Self.record)
        #expect(SetupRecord(SetupRecord().text) == SetupRecord())
    }

    /// Earlier records have the texts of the files.
    @Test func anEarlierRecordIsRead() throws {
        let text = #"{"examples":[{"name":"a","files":{"/a":"b\n"},"schemes":[]}],"enabledSocket":false}"#
        let file = WrittenFile(path: "/a", bytes: Array("b\n".utf8))
        #expect(SetupRecord(text)?.entries == [SetupRecord.Entry(name: "a", files: [file])])
    }

    @Test(arguments: ["", "{}", "[]", "{\"examples\":[{}],\"enabledSocket\":true}"])
    func anotherTextIsNoRecord(text: String) {
        #expect(SetupRecord(text) == nil)
    }

    @Test func anEntryIsReplacedAndRemoved() {
        var record = Self.record
        record["notes"]?.schemes = []
        #expect(record.entries.map(\.name) == ["todo", "notes"])
        #expect(record["notes"]?.schemes == [])
        record["notes"] = nil
        #expect(record.entries.map(\.name) == ["todo"])
        record["none"] = nil
        #expect(record.entries.map(\.name) == ["todo"])
    }
}
