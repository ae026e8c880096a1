import ArgumentParser
import Testing

@testable import XCallbackCommands

/// What a shell is given to insert.
struct CandidateTests {
    /// Bash inserts the text as it is, so only plain text is offered.
    @Test func nothingRunsInBash() {
        let texts = [
            "when=today", "notes:/list/*tags", "when=to day", "when=$(touch stolen)", "when=t`touch stolen`", "when=t'",
            "when=t\"", "when=t\\", "when=a;b", "when=<b>",
        ]
        let lines = Candidate.lines(texts.map { Candidate(text: $0) }, for: .bash)
        #expect(lines == ["when=today", "notes:/list/*tags"])
    }

    /// A character that is not seen is not inserted.
    @Test func hiddenCharactersAreNotOffered() {
        let candidates = ["a\u{1b}[2J", "a\nb", "seen"].map { Candidate(text: $0, note: "one\ntwo") }
        #expect(Candidate.lines(candidates, for: .fish) == ["seen\tone"])
        #expect(Candidate.lines(candidates, for: .zsh) == ["seen:one"])
    }
}
