import Testing
import XCallbackCommands

struct ExampleCommentTests {
    private static let text = """
        # Notes: a folder of text files,
        # ~/Notes.md and others. Each is one note.
        #
        #   xcallback open notes:/list
        #   other command
        #   xcallback open notes:/read/Milk
        #
        # setup: try notes:/new?title=First
        # setup: show notes:/read/First
        # setup: keeps ~/Notes

        # setup: system
        schemes: [notes]
        """

    @Test func theFirstSentenceIsTheSummary() {
        #expect(ExampleComment(Self.text).summary == "Notes: a folder of text files, ~/Notes.md and others.")
        #expect(ExampleComment("# No full stop\n#\n# More.").summary == "No full stop")
        #expect(ExampleComment("schemes: [a]").summary == "")
    }

    @Test func commandsAreThoseThatAreShown() {
        #expect(
            ExampleComment(Self.text).commands == ["xcallback open notes:/list", "xcallback open notes:/read/Milk"])
    }

    @Test func onlyTheCommentAtTheTopCounts() {
        #expect(!ExampleComment(Self.text).isForSystem)
        #expect(ExampleComment("# A.\n#\n# setup: system\n").isForSystem)
        #expect(!ExampleComment("# A.\n#\n# setup: systems\n").isForSystem)
    }
}
