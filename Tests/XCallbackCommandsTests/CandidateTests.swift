import ArgumentParser
import Testing

@testable import XCallbackCommands

/// What a shell is given to insert.
struct CandidateTests {
    /// Within quotes, nothing is put into the line that bash would take for more than text.
    @Test(arguments: [
        ("", "when=to\\ day"), ("when=", "to\\ day"), ("wh'en'=t", "o\\ day"), ("\"when=", "to day"),
        ("when='", "to day"),
        ("when=\"t", "o day"),
    ])
    func withinQuotesNothingRuns(kept: String, plain: String) {
        let texts = [
            "when=to day", "when=tell $(touch stolen)", "when=t`touch stolen`", "when=t'", "when=t\"", "when=t\\",
        ]
        let lines = Candidate.lines(texts.map { Candidate(text: $0) }, for: .bash, after: kept)
        #expect(lines.first == plain)
        if ShellWord(kept).quote == nil {
            #expect(lines.map { ShellWord(kept + $0).text } == texts)
        } else {
            #expect(lines.count == 1, "\(lines)")
        }
        #expect(Candidate.lines([Candidate(text: "other")], for: .bash, after: "when=").isEmpty)
    }

    /// A character that is not seen is not inserted.
    @Test func hiddenCharactersAreNotOffered() {
        let candidates = ["a\u{1b}[2J", "a\nb", "seen"].map { Candidate(text: $0, note: "one\ntwo") }
        #expect(Candidate.lines(candidates, for: .fish) == ["seen\tone"])
        #expect(Candidate.lines(candidates, for: .zsh) == ["seen:one"])
    }
}
