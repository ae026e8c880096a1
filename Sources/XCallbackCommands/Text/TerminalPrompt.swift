import Glibc

/// A question on the terminal that is answered with a line.
struct TerminalPrompt {
    /// What is asked for.
    let text: String

    /// Asks for it, again after an empty line if nothing stands for that.
    ///
    /// - Parameter proposal: What an empty line stands for; nil if it stands for nothing.
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

    /// Asks for it, again after a line that does not do.
    ///
    /// - Parameters:
    ///   - proposal: What an empty line stands for; nil if it stands for nothing.
    ///   - read: What a line means; its failure is printed.
    /// - Returns: What the line means that does.
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
