import Glibc

/// A question on the terminal that is answered with yes or no.
struct TerminalQuestion {
    /// The text, with a question mark at its end.
    let text: String

    /// Whether there is a terminal on which it can be asked.
    static var canBeAsked: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 }

    /// Asks it, again after an answer that is neither; yes is the answer of who presses Return only.
    ///
    /// - Throws: ``Failure`` if the input ends.
    func ask() throws(Failure) -> Bool {
        while true {
            _ = Terminal.write(Array("\(text.withVisibleControls) [Y/n] ".utf8), to: STDOUT_FILENO)
            guard let line = readLine() else {
                throw Failure(.usage, "the question was not answered; nothing was changed")
            }
            switch line.lowercased().filter({ $0 != " " }) {
            case "", "y", "yes": return true
            case "n", "no": return false
            default: continue
            }
        }
    }
}
