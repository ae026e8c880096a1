import ArgumentParser
import XCallbackBytes

/// A word that completion offers.
struct Candidate: Hashable {
    /// The word, as the command must receive it.
    let text: String
    /// A description, for shells that show it.
    var note = ""

    /// Formats candidates for a shell.
    ///
    /// - Parameters:
    ///   - candidates: The candidates.
    ///   - shell: The shell.
    ///   - kept: The start of each candidate that stays on the command line, because bash replaces only the part
    ///     after it.
    /// - Returns: One text per candidate, without those that a shell cannot insert safely.
    static func lines(_ candidates: [Candidate], for shell: CompletionShell?, after kept: String = "") -> [String] {
        var known: Set<String> = []
        let usable = candidates.filter { candidate in
            candidate.text.withVisibleControls == candidate.text && known.insert(candidate.text).inserted
        }
        return usable.compactMap { candidate in
            let note = candidate.note.split(separator: "\n").first.map { "\($0)".withVisibleControls } ?? ""
            switch shell {
            case .zsh:
                // A colon separates a word from its description.
                let text = candidate.text.replacing(each: "\\", with: "\\\\").replacing(each: ":", with: "\\:")
                return note.isEmpty ? text : "\(text):\(note)"
            // Without a note, fish shows the description of the option.
            case .fish: return "\(candidate.text)\t\(note)"
            default: return candidate.text.bashWord(after: ShellWord(kept))
            }
        }
    }
}

/// The word that a shell forms from text on its command line.
struct ShellWord {
    /// The word, without its quotes.
    private(set) var text = ""
    /// The quote that is open at the end; nil if none.
    private(set) var quote: Character?

    /// Parses text of a command line.
    init(_ written: String) {
        var isEscaped = false
        for character in written {
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
    }
}

extension String {
    /// Returns the text that bash must insert after a prefix: verbatim within open quotes, otherwise with backslashes; nil if
    /// that is impossible.
    fileprivate func bashWord(after beginning: ShellWord) -> String? {
        guard utf8.starts(with: beginning.text.utf8) else { return nil }
        let rest = self[utf8.index(startIndex, offsetBy: beginning.text.utf8.count)...]
        if beginning.quote != nil {
            // Text with a special meaning to the shell is not offered.
            return rest.allSatisfy { $0.isLetter || $0.isNumber || "-_./:=+@%, *{}".contains($0) } ? String(rest) : nil
        }
        return rest.reduce(into: "") { word, character in
            let isPlain = character.isLetter || character.isNumber || "-_./:=+@%,".contains(character)
            word += isPlain ? String(character) : "\\\(character)"
        }
    }
}
