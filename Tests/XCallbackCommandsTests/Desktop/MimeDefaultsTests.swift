import Testing
import XCallbackCommands

struct MimeDefaultsTests {
    private static let ours = "ours.desktop"
    private static let type = "x-scheme-handler/notes"

    /// What a user may have, and what it becomes.
    static let files: [(before: String, after: String)] = [
        ("", "[Default Applications]\nx-scheme-handler/notes=ours.desktop;\n"),
        (
            "[Default Applications]\nx-scheme-handler/notes=other.desktop\n",
            "[Default Applications]\nx-scheme-handler/notes=ours.desktop;other.desktop\n"
        ),
        (
            "[Default Applications]\n x-scheme-handler/notes = a.desktop;b.desktop; \n",
            "[Default Applications]\n x-scheme-handler/notes =ours.desktop; a.desktop;b.desktop; \n"
        ),
        (
            "# mine\n[Added Associations]\nx-scheme-handler/notes=a.desktop;\n",
            "# mine\n[Added Associations]\nx-scheme-handler/notes=a.desktop;\n\n[Default Applications]\n"
                + "x-scheme-handler/notes=ours.desktop;\n"
        ),
        (
            "[Default Applications]\ntext/html=b.desktop\n\n[Removed Associations]\nx-scheme-handler/notes=c.desktop\n",
            "[Default Applications]\nx-scheme-handler/notes=ours.desktop;\ntext/html=b.desktop\n\n"
                + "[Removed Associations]\nx-scheme-handler/notes=c.desktop\n"
        ),
        (
            "[Default Applications] \ntext/html=b.desktop\n",
            "[Default Applications] \nx-scheme-handler/notes=ours.desktop;\ntext/html=b.desktop\n"
        ),
        (
            "[Default Applications]\na=b\n[Default Applications]\nx-scheme-handler/notes=c.desktop;\n",
            "[Default Applications]\na=b\n[Default Applications]\nx-scheme-handler/notes=ours.desktop;c.desktop;\n"
        ),
        (
            "[Default Applications]\nx-scheme-handler/notes2=b.desktop\n",
            "[Default Applications]\nx-scheme-handler/notes=ours.desktop;\nx-scheme-handler/notes2=b.desktop\n"
        ),
    ]

    @Test(arguments: files)
    func anApplicationIsPutFirstAndTakenBack(before: String, after: String) {
        var defaults = MimeDefaults(before)
        defaults.prefer(Self.ours, for: Self.type)
        #expect(defaults.text == after)
        defaults.prefer(Self.ours, for: Self.type)
        #expect(defaults.text == after)
        defaults.drop(Self.ours, for: Self.type)
        #expect(defaults.text == before)
        defaults.drop(Self.ours, for: Self.type)
        #expect(defaults.text == before)
    }

    @Test(arguments: ["", " "]) func anApplicationThatIsNotFirstBecomesIt(blank: String) {
        let list = "[Default Applications]\nx-scheme-handler/notes="
        var defaults = MimeDefaults("\(list)a.desktop;\(blank)ours.desktop;\n")
        defaults.prefer(Self.ours, for: Self.type)
        #expect(defaults.text == "\(list)ours.desktop;a.desktop;\n")
    }
}
