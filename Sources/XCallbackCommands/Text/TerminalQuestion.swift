import Glibc

/// A yes-or-no question on the terminal.
struct TerminalQuestion {
    /// The text, including the question mark.
    let text: String

    /// Whether a terminal is available.
    static var canBeAsked: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 }

    /// Asks the question, again after any other answer; Return alone means yes.
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
