import ArgumentParser
import XCallbackBytes

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
    ///   - kept: What stands before them on the command line and stays there, which is the beginning of each: bash replaces
    ///     only what follows.
    /// - Returns: A text each; what a shell cannot insert safely is left out.
    static func lines(_ candidates: [Candidate], for shell: CompletionShell?, after kept: String = "") -> [String] {
        var known: Set<String> = []
        let usable = candidates.filter { candidate in
            candidate.text.withVisibleControls == candidate.text && known.insert(candidate.text).inserted
        }
        return usable.compactMap { candidate in
            let note = candidate.note.split(separator: "\n").first.map { "\($0)".withVisibleControls } ?? ""
            switch shell {
            case .zsh:
                // A colon parts a word from what it means.
                let text = candidate.text.replacing(each: "\\", with: "\\\\").replacing(each: ":", with: "\\:")
                return note.isEmpty ? text : "\(text):\(note)"
            // Without the sign, fish shows what the option means.
            case .fish: return "\(candidate.text)\t\(note)"
            default: return candidate.text.bashWord(after: ShellWord(kept))
            }
        }
    }
}

/// The word that a shell makes of what stands on its command line.
struct ShellWord {
    /// The word, without its quotes.
    private(set) var text = ""
    /// The quote that is open at its end; nil if none is.
    private(set) var quote: Character?

    /// Reads what stands on a command line.
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
    /// What bash is to insert behind the beginning of the text: within quotes that are open as it is, else with
    /// backslashes; nil if that is not possible.
    fileprivate func bashWord(after beginning: ShellWord) -> String? {
        guard utf8.starts(with: beginning.text.utf8) else { return nil }
        let rest = self[utf8.index(startIndex, offsetBy: beginning.text.utf8.count)...]
        if beginning.quote != nil {
            // What a shell would read there as more than text is not offered.
            return rest.allSatisfy { $0.isLetter || $0.isNumber || "-_./:=+@%, *{}".contains($0) } ? String(rest) : nil
        }
        return rest.reduce(into: "") { word, character in
            let isPlain = character.isLetter || character.isNumber || "-_./:=+@%,".contains(character)
            word += isPlain ? String(character) : "\\\(character)"
        }
    }
}
