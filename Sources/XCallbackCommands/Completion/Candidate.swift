import ArgumentParser

/// A word that completion offers.
struct Candidate: Hashable {
    /// The word as the command is to get it.
    let text: String
    /// What it means, for shells that show that.
    var note = ""

    /// Candidates as a shell takes them from the command.
    ///
    /// - Parameters:
    ///   - candidates: The candidates.
    ///   - shell: The shell.
    ///   - word: The word that is completed, as it stands on the command line.
    /// - Returns: A text each; what a shell cannot insert safely is left out.
    static func lines(_ candidates: [Candidate], for shell: CompletionShell?, completing word: String) -> [String] {
        var known: Set<String> = []
        let usable = candidates.filter { candidate in
            candidate.text.withVisibleControls == candidate.text && known.insert(candidate.text).inserted
        }
        return usable.map { candidate in
            let note = candidate.note.split(separator: "\n").first.map { "\($0)".withVisibleControls } ?? ""
            switch shell {
            case .zsh:
                // A colon parts a word from what it means.
                let text = candidate.text.replacing("\\", with: "\\\\").replacing(":", with: "\\:")
                return note.isEmpty ? text : "\(text):\(note)"
            case .fish: return note.isEmpty ? candidate.text : "\(candidate.text)\t\(note)"
            default: return candidate.text.bashWord(completing: word)
            }
        }
    }
}

extension String {
    /// The text as bash is to insert it: within quotes that are open as it is, else with backslashes.
    fileprivate func bashWord(completing word: String) -> String {
        // What a shell would read there as more than text is not offered.
        if word.hasPrefix("'") || word.hasPrefix("\"") {
            return allSatisfy { $0.isLetter || $0.isNumber || "-_./:=+@%, *{}".contains($0) } ? self : ""
        }
        return flatMap { character -> [Character] in
            let isPlain = character.isLetter || character.isNumber || "-_./:=+@%,".contains(character)
            return isPlain ? [character] : ["\\", character]
        }.reduce(into: "") { $0.append($1) }
    }

    /// The word that a shell makes of what stands on its command line.
    var withoutShellQuotes: String {
        var text = ""
        var quote: Character?
        var isEscaped = false
        for character in self {
            if isEscaped {
                text.append(character)
                isEscaped = false
            } else if character == "\\", quote != "'" {
                isEscaped = true
            } else if character == quote {
                quote = nil
            } else if quote == nil, character == "'" || character == "\"" {
                quote = character
            } else {
                text.append(character)
            }
        }
        return text
    }
}
