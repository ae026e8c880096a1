import Glibc

/// A question on the terminal for a line of text.
struct TerminalPrompt {
    /// The question.
    let text: String

    /// Asks the question, again after an empty line without a default.
    ///
    /// - Parameter proposal: The default for an empty line; nil if none.
    /// - Returns: The line without blanks around it.
    /// - Throws: ``Failure`` if there is no terminal, or the input ends.
    func ask(orElse proposal: String?) throws(Failure) -> String {
        guard TerminalQuestion.canBeAsked else {
            throw Failure(
                .usage,
                "cannot ask a question without a terminal; nothing was changed\n"
                    + "the question: \(text)")
        }
        while true {
            let hint = proposal.map { $0.isEmpty ? " (none)" : " (\($0))" } ?? ""
            _ = Terminal.write(
                Array("\(text.withVisibleControls)\(hint.withVisibleControls): ".utf8), to: STDOUT_FILENO)
            guard let line = readLine() else {
                throw Failure(.usage, "the question was not answered; nothing was changed")
            }
            let answer = line.withoutBlanksAround
            if !answer.isEmpty { return answer }
            if let proposal { return proposal }
        }
    }

    /// Asks the question, again after an invalid line.
    ///
    /// - Parameters:
    ///   - proposal: The default for an empty line; nil if none.
    ///   - read: Parses a line; its failure is printed.
    /// - Returns: The value of the valid line.
    /// - Throws: ``Failure`` if there is no terminal, or the input ends.
    func ask<Value>(
        orElse proposal: String?, _ read: (String) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        while true {
            let line = try ask(orElse: proposal)
            do throws(Failure) { return try read(line) } catch { Terminal.printError(error) }
        }
    }
}

extension String {
    fileprivate var withoutBlanksAround: String {
        let start = drop { $0 == " " || $0 == "\t" }
        return String(start.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
    }
}
