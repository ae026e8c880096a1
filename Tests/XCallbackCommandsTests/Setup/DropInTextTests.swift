import Testing
import XCallbackCommands

struct DropInTextTests {
    static let programs: [(before: String, path: String, after: String)] = [
        ("exec: [notes, new]  # notes", "/a/notes", "exec: [/a/notes, new]  # notes"),
        ("exec: [\"notes\", notes]", "/a/notes", "exec: [/a/notes, notes]"),
        ("exec:\n  # With ä.\n  - notes\n  - new", "/a/notes", "exec:\n  # With ä.\n  - /a/notes\n  - new"),
        ("exec: [notes]", "/a b/{c}, #\"é\\", #"exec: ["/a b/{{c}}, #\"é\\"]"#),
        ("a: [ä, { exec: [notes] }, { exec: [notes] }]", "/x", "a: [ä, { exec: [/x] }, { exec: [/x] }]"),
        ("a: &a { exec: [notes] }\nb: *a", "/x", "a: &a { exec: [/x] }\nb: *a"),
        ("exec: [note, notes]\nother: [notes]", "/x", "exec: [note, notes]\nother: [notes]"),
        ("exec: [notes", "/x", "exec: [notes"),
    ]

    @Test(arguments: programs)
    func thePathOfAProgramTakesThePlaceOfItsName(before: String, path: String, after: String) {
        var text = DropInText(before)
        text.replaceProgram("notes", with: path)
        #expect(text.text == after)
    }

    static let routes: [(before: String, after: String)] = [
        ("  public: true\n  policies: []\n", "  public: false  # why\n  policies: []\n"),
        ("  public: true  # asked first\n", "  public: false  # asked first\n"),
        ("- { route: a:/b, public: true, respond: {} }\n", "- { route: a:/b, public: false, respond: {} }\n"),
        ("public: false\nother: true\n", "public: false\nother: true\n"),
    ]

    @Test(arguments: routes)
    func publicRoutesBecomePrivate(before: String, after: String) {
        var text = DropInText(before)
        text.makePrivate(because: "why")
        #expect(text.text == after)
    }
}
