import ArgumentParser
import Testing

@testable import XCallbackCommands

/// What a shell is given to insert.
struct CandidateTests {
    /// Within quotes, nothing is put into the line that bash would take for more than text.
    @Test(arguments: [("when=", "when=to\\ day"), ("\"when=", "when=to day"), ("'when=", "when=to day")])
    func withinQuotesNothingRuns(word: String, plain: String) {
        let texts = ["when=to day", "when=$(touch stolen)", "when=`touch stolen`", "when=it's", "when=\"", "when=\\"]
        let lines = Candidate.lines(texts.map { Candidate(text: $0) }, for: .bash, completing: word)
        #expect(lines.first == plain)
        let others = lines.dropFirst()
        if word == "when=" {
            let words = others.map(\.withoutShellQuotes)
            #expect(words == Array(texts.dropFirst()))
        } else {
            #expect(others.allSatisfy { $0 == "" }, "\(others)")
        }
    }

    /// A character that is not seen is not inserted.
    @Test func hiddenCharactersAreNotOffered() {
        let candidates = ["a\u{1b}[2J", "a\nb", "seen"].map { Candidate(text: $0, note: "one\ntwo") }
        #expect(Candidate.lines(candidates, for: .fish, completing: "") == ["seen\tone"])
        #expect(Candidate.lines(candidates, for: .zsh, completing: "") == ["seen:one"])
    }
}
