import Testing
import XCallbackCommands

struct SetupRecordTests {
    private static let record: SetupRecord = {
        var record = SetupRecord()
        let file = WrittenFile(path: "/a/ä", text: "a: \"b\"\n", isProgram: false)
        let program = WrittenFile(path: "/a/b", text: "#!/bin/sh\n\u{1}", isProgram: true)
        var notes = SetupRecord.Entry(name: "notes", files: [file, program])
        notes.schemes = ["notes"]
        notes.isPublic = false
        var todo = SetupRecord.Entry(name: "todo", files: [])
        todo.isDefault = false
        todo.isTried = true
        record["notes"] = notes
        record["todo"] = todo
        record.hasEnabledSocket = true
        return record
    }()

    @Test func whatIsWrittenIsReadAgain() {
        #expect(SetupRecord(Self.record.text) == Self.record)
        #expect(SetupRecord(SetupRecord().text) == SetupRecord())
    }

    @Test(arguments: ["", "{}", "[]", "{\"examples\":[{}],\"enabledSocket\":true}"])
    func anotherTextIsNoRecord(text: String) {
        #expect(SetupRecord(text) == nil)
    }

    @Test func anEntryIsReplacedAndRemoved() {
        var record = Self.record
        record["notes"]?.schemes = []
        #expect(record.entries.map(\.name) == ["notes", "todo"])
        #expect(record["notes"]?.schemes == [])
        record["notes"] = nil
        #expect(record.entries.map(\.name) == ["todo"])
        record["none"] = nil
        #expect(record.entries.map(\.name) == ["todo"])
    }
}
