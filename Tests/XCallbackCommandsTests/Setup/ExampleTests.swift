import Testing
import XCallbackCommands

struct ExampleTests {
    private static let folders = UserFolders(configurationHome: "/home/.config", dataHome: "/data", stateHome: "/state")
    private static let example = Example(
        name: "notes",
        text: """
            # Notes.
            schemes: [notes]
            routes:
              - route: notes:/new
                public: true
                policies: [{ confirm: { exec: [ask] } }]
                exec: [notes, new]
              - { route: notes:/list, exec: [notes, list] }

            """,
        programs: ["notes": "#!/bin/sh\n"])

    @Test func theDropInNamesWhoHasWrittenItAndThePathsOfPrograms() throws {
        let text = try #require(Self.example.files(in: Self.folders, isPublic: true).first?.text)
        let mark = "# Written by 'xcallback setup notes'; 'xcallback remove notes' removes it.\n#\n# Notes.\n"
        #expect(text.hasPrefix(mark))
        #expect(text.contains("    public: true\n"))
        #expect(text.contains("exec: [\(Self.program), new]"))
        #expect(text.contains("exec: [\(Self.program), list]"))
    }

    @Test func aPathThatYAMLWouldMisreadIsQuoted() throws {
        let folders = UserFolders(configurationHome: "/c", dataHome: "/a b/{c}", stateHome: "/state")
        let text = try #require(Self.example.files(in: folders, isPublic: true).first?.text)
        #expect(text.contains(#"exec: ["/a b/{{c}}/xcallbackd/programs/notes/notes", new]"#), "\(text)")
        #expect(!text.contains("[ask,") && text.contains("exec: [ask]"))
    }

    private static let program = "/data/xcallbackd/programs/notes/notes"
}
