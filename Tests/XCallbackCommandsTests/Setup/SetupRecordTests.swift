import Testing
import XCallbackCommands

struct SetupRecordTests {
    private static let record: SetupRecord = {
        var record = SetupRecord()
        let file = WrittenFile(path: "/a/ä", text: "a: \"b\"\n", isProgram: false)
        let program = WrittenFile(path: "/a/b", text: "#!/bin/sh\n\u{1}", isProgram: true)
        record["notes"] = SetupRecord.Example(
            name: "notes", answers: SetupAnswers(isPublic: false), files: [file, program], schemes: ["notes"])
        record["todo"] = SetupRecord.Example(
            name: "todo", answers: SetupAnswers(isDefault: false), files: [], schemes: [], isTried: true)
        record["notes"]?.preferred = ["other"]
        record.settings = file
        record.hasEnabledSocket = true
        record.made = ["/a", "/a/b"]
        return record
    }()

    @Test func whatIsWrittenIsReadAgain() {
        #expect(SetupRecord(Self.record.text) == Self.record)
        #expect(SetupRecord(SetupRecord().text) == SetupRecord())
    }

    @Test(arguments: ["", "{}", "[]", "{\"examples\":[{}],\"enabledSocket\":true,\"made\":[]}"])
    func anotherTextIsNoRecord(text: String) {
        #expect(SetupRecord(text) == nil)
    }

    @Test func anExampleIsReplacedAndRemoved() {
        var record = Self.record
        record["notes"]?.schemes = []
        #expect(record.examples.map(\.name) == ["notes", "todo"])
        record["notes"] = nil
        #expect(record.examples.map(\.name) == ["todo"])
        #expect(!record.isEmpty)
        #expect(SetupRecord().isEmpty)
    }
}
