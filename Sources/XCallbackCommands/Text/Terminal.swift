import Glibc
import XCallbackClient
import XCallbackConfiguration
import XCallbackLinux
import XCallbackRouter
import XCallbackURL
import XCallbackWire

/// The command's output; the only code that writes to the terminal.
enum Terminal {
    /// Prints lines on standard output.
    ///
    /// A reader that has closed is not a failure.
    ///
    /// - Throws: ``Failure`` if standard output cannot be written, for example on a full disk.
    static func print(_ text: some CustomStringConvertible) throws(Failure) {
        _ = try offer(text)
    }

    /// Prints lines on standard output.
    ///
    /// - Returns: Whether the reader is still there.
    /// - Throws: ``Failure`` if standard output cannot be written.
    static func offer(_ text: some CustomStringConvertible) throws(Failure) -> Bool {
        let code = write(Array("\(text)\n".utf8), to: STDOUT_FILENO)
        guard code == 0 || code == EPIPE else {
            throw Failure(.output, "cannot write the output: \(systemMessage(code))")
        }
        return code == 0
    }

    /// Whether a descriptor is a terminal where the user runs this process.
    ///
    /// A desktop that was started on a terminal passes it on to all programs, and hides it.
    static func isForeground(_ descriptor: Int32) -> Bool { tcgetpgrp(descriptor) == getpgrp() }

    /// Prints a line about a completed step: what was done, in a word or two, and its object.
    ///
    /// Nobody who reads it is no reason to end between two steps, or to undo only some.
    static func print(step: String, _ text: String) {
        _ = try? print("\(step.padded(to: 14))\(text.withVisibleControls)")
    }

    /// Prints an item for people: `name=value`, with further lines of the value indented.
    ///
    /// - Throws: ``Failure`` if standard output cannot be written.
    static func print(item: QueryItems.Item) throws(Failure) {
        try print(item.text.withIndentedLines)
    }

    /// Prints the values of the items with a name; a terminal shows invisible characters in them.
    ///
    /// - Returns: Whether there are any.
    /// - Throws: ``Failure`` if standard output cannot be written.
    static func print(valuesOf name: String, in items: QueryItems) throws(Failure) -> Bool {
        let values = items.filter { $0.name == name }.compactMap(\.value)
        let isSeen = isatty(STDOUT_FILENO) == 1
        for value in values { try print(isSeen ? value.withVisibleLines : value) }
        return !values.isEmpty
    }

    /// Prints a line of JSON on standard output.
    ///
    /// - Throws: ``Failure`` if standard output cannot be written.
    static func print(_ json: JSONValue) throws(Failure) { try print(json.visibleText) }

    /// Whether standard output is a terminal that supports colours, and the user has not declined them (no-color.org).
    static var showsColour: Bool {
        isatty(STDOUT_FILENO) == 1 && variable("NO_COLOR") == nil && variable("TERM") != "dumb"
    }

    /// Prints lines on standard error, with invisible characters made visible, because the lines may quote other programs.
    static func printError(_ text: some CustomStringConvertible) {
        // A failure cannot be reported anywhere.
        _ = write(Array("\(text)".withVisibleLines.utf8 + [UInt8(ascii: "\n")]), to: STDERR_FILENO)
    }

    /// Shows a text in the last line of the terminal of standard error, in place of the one before it.
    ///
    /// The text is cut to leave room for its end. Characters that are not of Latin scripts may take two columns.
    static func show(status text: String, end: String = "") {
        var room = (width(of: STDERR_FILENO) ?? 80) - 1 - end.count
        let shown = text.withVisibleControls.prefix { character in
            room -= character.unicodeScalars.contains { $0.value > 0x2FF } ? 2 : 1
            return room >= 0
        }
        _ = write(Array("\r\u{1B}[K\(shown)\(end)".utf8), to: STDERR_FILENO)
    }

    /// Returns the number of columns of a terminal; nil if the descriptor is no terminal, or that does not tell.
    static func width(of descriptor: Int32) -> Int? {
        var size = winsize()
        return ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 1 ? Int(size.ws_col) : nil
    }

    /// Asks a yes-or-no question, again after any other answer; Return alone means yes.
    ///
    /// - Throws: ``Failure`` if there is no terminal, or the input ends.
    static func ask(_ text: String) throws(Failure) -> Bool {
        guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1 else {
            throw Failure(
                .usage,
                "cannot ask a question without a terminal; nothing was changed\n"
                    + "the question: \(text)\nuse '--yes' to answer yes")
        }
        while true {
            _ = write(Array("\(text.withVisibleControls) [Y/n] ".utf8), to: STDOUT_FILENO)
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

    /// Writes all bytes; returns the `errno` of a failure, or 0.
    static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
        bytes.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let part = UnsafeRawBufferPointer(rebasing: rest)
                let count = Glibc.write(descriptor, part.baseAddress, part.count)
                let code = errno
                if count >= 0 {
                    rest = rest.dropFirst(count)
                } else if code != EINTR {
                    return code
                }
            }
            return 0
        }
    }
}

/// Rows of cells in columns of minimal width.
struct TextTable {
    private let rows: [[String]]

    /// Creates a table; rows may have fewer cells than others.
    init(_ rows: [[String]]) {
        self.rows = rows.map { row in row.map(\.withVisibleControls) }
    }

    /// The rows, one per line, without trailing blanks.
    var text: String { lines.joined(separator: "\n") }

    /// The rows, without trailing blanks.
    var lines: [String] {
        // The last cell of a row needs no padding.
        var widths = Array(repeating: 0, count: rows.map(\.count).max() ?? 0)
        for row in rows {
            for (column, cell) in row.dropLast().enumerated() { widths[column] = max(widths[column], cell.count) }
        }
        return rows.map { row in
            let padded = zip(row, widths).dropLast().map { cell, width in cell.padded(to: width) + "  " }
            return padded.joined() + (row.last ?? "")
        }
    }
}

extension Client.Answer {
    /// Prints the answer for people and scripts.
    ///
    /// Control characters in values are made visible, so that their author cannot control a terminal. Further lines of a value
    /// are indented, so that they cannot pass for items.
    ///
    /// - Throws: ``Failure`` if standard output cannot be written.
    func print() throws(Failure) {
        guard isDaemonsOwn else { return try Terminal.print(url) }
        switch response {
        case .success(let items): for item in items { try Terminal.print(item: item) }
        case .error(let error): Terminal.printError(error.line(of: self))
        case .cancel: Terminal.printError("cancelled")
        case .redirect: try Terminal.print(url)
        }
    }

    /// Whether the URL is the daemon's own, of which only the meaning matters.
    private var isDaemonsOwn: Bool {
        let own = "\(CallbackRules.answerScheme)://x-callback-url/\(response.kind.rawValue)"
        return url == own || url.hasPrefix("\(own)?")
    }

    /// The answer as JSON.
    var json: JSONValue {
        let items =
            switch response {
            case .success(let items): items
            case .error(let error): error.items
            case .cancel, .redirect: QueryItems()
            }
        let error = if case .error(let error) = response { error.members } else { [JSONValue.Member]() }
        return .object(
            .init(present: [
                "outcome": .string(response.kind.rawValue), "url": .string(url), "items": items.json,
                "by": .string(author.rawValue), "cause": cause.map { .string($0) }, "id": id.map { .string($0) },
            ]) + error)
    }
}

extension CallbackError {
    /// The message, with the code at the end and, on a line of its own, the cause.
    ///
    /// - Parameter cause: The cause, if the daemon has sent it. The last line of a program that wrote no message is the
    ///   message.
    /// - Returns: One line, or two.
    func text(cause: String?) -> String { text(cause: cause, facts: "") }

    /// The line for people on standard error.
    fileprivate func line(of answer: Client.Answer) -> String {
        // An error that the caller did not cause is found in the log by the request's ID.
        let request = (500..<600).contains(code.rawValue) ? answer.id.map { ", request \($0)" } ?? "" : ""
        return "error: " + text(cause: answer.cause, facts: request)
    }

    private func text(cause: String?, facts: String) -> String {
        // A cause that says all that the message says.
        let replacesMessage = self == .unknownScheme || message == "The program ended with status \(code.rawValue)."
        let sentence = replacesMessage ? cause ?? message : message
        let rest = replacesMessage ? nil : cause
        let number = "(\(code.rawValue)\(facts))"
        let line = (sentence.isEmpty ? number : "\(sentence) \(number)").withVisibleControls
        return line + (rest.map { "\ncause: \($0.withVisibleControls)" } ?? "")
    }
}

extension String {
    /// The text with invisible characters as `<U+001B>`, so that a message cannot control a terminal, end its line, reverse the
    /// text around it, or hide characters.
    ///
    /// Joiners stay, because scripts and emoji need them.
    package var withVisibleControls: String {
        unicodeScalars.reduce(into: "") { result, scalar in
            if scalar.isHidden { result += scalar.notation } else { result.unicodeScalars.append(scalar) }
        }
    }

    /// The text with invisible characters as `<U+001B>`, except line endings.
    var withVisibleLines: String {
        split(separator: "\n", omittingEmptySubsequences: false).map { String($0).withVisibleControls }
            .joined(separator: "\n")
    }

    /// The text with invisible characters as `<U+001B>`, except line endings, after which the text is indented.
    package var withIndentedLines: String {
        withVisibleLines.replacing(each: "\n", with: "\n    ")
    }

    /// Returns the text, padded with blanks to a width.
    func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(width - count, 0))
    }
}

extension JSONValue {
    /// The JSON text on one line, with invisible characters as `\u001b`: the same value, which cannot control a terminal.
    var visibleText: String {
        // Outside of strings, JSON is ASCII.
        description.unicodeScalars.reduce(into: "") { result, scalar in
            guard scalar.isHidden else { return result.unicodeScalars.append(scalar) }
            for unit in String(scalar).utf16 {
                let digits = String(unit, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
        }
    }
}

extension Duration {
    /// The duration in seconds, with fraction.
    private var seconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) / 1e18
    }

    /// The duration with two or three digits and a unit, from microseconds to seconds.
    var shortText: String {
        let (value, unit) =
            switch seconds {
            case ..<0.000_999_5: (seconds * 1e6, "µs")
            case ..<0.999_5: (seconds * 1e3, "ms")
            default: (seconds, "s")
            }
        if value >= 9.95 { return "\(Int(value.rounded())) \(unit)" }
        if value == 0 { return "0 \(unit)" }
        let tenths = Int((value * 10).rounded())
        return "\(tenths / 10).\(tenths % 10) \(unit)"
    }

    /// The duration in its two largest units, from seconds to days.
    var roughText: String {
        let seconds = Int(max(seconds, 0))
        let units = [("d", 86_400), ("h", 3_600), ("min", 60), ("s", 1)]
        guard let first = units.firstIndex(where: { seconds >= $0.1 }) else { return "0 s" }
        let major = "\(seconds / units[first].1) \(units[first].0)"
        guard first + 1 < units.count else { return major }
        return "\(major) \(seconds % units[first].1 / units[first + 1].1) \(units[first + 1].0)"
    }

    /// The local time of day, for a time since the start of 1970.
    var clockText: String { dateText(as: "%H:%M:%S", isLocal: true) }
}

extension ToolRun.Ending {
    /// The end of a sentence about the program.
    var text: String {
        switch self {
        case .exited(let status): "ended with status \(status)"
        case .running: "did not end in time"
        case .notStarted(let cause): "cannot be run: \(cause)"
        }
    }
}

extension QueryItems.Item {
    /// The item as `name=value`, or its name if it has no value.
    var text: String { value.map { "\(name)=\($0)" } ?? name }
}

extension QueryItems {
    /// Parses items: `name=value`, or `name` for an item without a value.
    init(words: [String]) {
        self.init()
        for word in words {
            // The search goes by bytes: an accent after the sign would hide it.
            let end = word.utf8.firstIndex(of: UInt8(ascii: "="))
            append(
                String(word[..<(end ?? word.endIndex)]), end.map { String(word[word.utf8.index(after: $0)...]) })
        }
    }
}
