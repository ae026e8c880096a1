import Glibc
import XCallbackEventLoop
import XCallbackLinux

/// A program that shows lines and prints the one that the user chooses, or what the user types instead.
struct Menu {
    /// The program and its arguments.
    private let words: [String]
    /// What it is called in messages.
    private let name: String

    /// Those that are looked for, in this order, where none is named.
    private static let known = [
        ["fuzzel", "--dmenu"], ["rofi", "-dmenu"], ["wofi", "--dmenu"], ["bemenu"], ["dmenu"],
    ]
    private static let knownOnTerminal = ["fzf", "--print-query"]
    /// The option that tells a program what to ask for.
    private static let promptOptions = [
        "fuzzel": "--prompt", "rofi": "-p", "wofi": "--prompt", "bemenu": "--prompt", "dmenu": "-p", "fzf": "--prompt",
    ]

    /// Chooses a menu.
    ///
    /// - Parameter named: The words that the command line names.
    /// - Throws: ``Failure`` if it names none, and none is found.
    init(_ named: [String]) throws(Failure) {
        if !named.isEmpty {
            words = named
        } else if let text = variable("XCALLBACK_MENU") {
            words = ["sh", "-c", text]
            name = "'\(text.withVisibleControls)' of XCALLBACK_MENU"
            return
        } else if Self.hasDisplay, let found = Self.known.first(where: { ToolRun.isInstalled($0[0]) }) {
            words = found
        } else if isatty(STDIN_FILENO) == 1, ToolRun.isInstalled(Self.knownOnTerminal[0]) {
            words = Self.knownOnTerminal
        } else {
            throw Failure(
                .usage,
                "no menu program is installed\n"
                    + "give one that reads lines: '--menu rofi -dmenu', or set XCALLBACK_MENU")
        }
        name = "'\(words.joined(separator: " ").withVisibleControls)'"
    }

    /// The words that start it for a question: a known program is told what it asks for, unless they say so themselves.
    private func words(asking prompt: String) -> [String] {
        let program = words[0].split(separator: "/").last.map(String.init) ?? ""
        guard let option = Self.promptOptions[program],
            !words.contains(where: { $0 == "-p" || $0.hasPrefix("--prompt") })
        else { return words }
        return words + [option, "\(prompt)> "]
    }

    /// Whether windows can be shown.
    static var hasDisplay: Bool { variable("WAYLAND_DISPLAY") != nil || variable("DISPLAY") != nil }

    /// Shows lines.
    ///
    /// The program finds what it asks for in `XCALLBACK_PROMPT`.
    ///
    /// - Parameters:
    ///   - lines: The lines; none where anything can be typed, as one would be chosen instead of what is typed.
    ///   - prompt: What is asked for.
    /// - Returns: The last line that the program has printed; nil if the user has left it.
    /// - Throws: ``Failure`` if the program cannot be run, or fails.
    func choose(from lines: [String], asking prompt: String) throws(Failure) -> String? {
        setenv("XCALLBACK_PROMPT", prompt, 1)
        defer { unsetenv("XCALLBACK_PROMPT") }
        let (output, end): (String?, ChildResult.Ending)
        do throws(SystemError) {
            let program = try PipedProgram(words(asking: prompt))
            defer { close(program.output) }
            let text = lines.map { "\($0)\n" }.joined()
            // Menus read all that there is before they print anything, and one that has ended reads nothing more.
            _ = Terminal.write(Array(text.utf8), to: program.input)
            (output, end) = program.finish(afterReading: Self.limit)
        } catch {
            throw Failure(.usage, "cannot run the menu \(name): \(systemMessage(error.code))")
        }
        guard let output else {
            throw Failure(
                .usage, "the menu printed more than \(Self.limit) bytes, which is not a valid choice; nothing was sent")
        }
        switch end {
        // fzf ends so after a text that is none of the lines.
        case .exited(0), .exited(1): return output.split(separator: "\n").last.map(String.init)
        case .exited(126),
            .exited(127) where output.isEmpty:
            throw Failure(.usage, "cannot run the menu \(name)")
        // A signal that asks it to end comes from the user, also through a shell. What it has printed is incomplete then.
        case .killed(let signal) where Self.endingSignals.contains(signal): return nil
        case .exited(let status) where Self.endingSignals.contains(status - 128): return nil
        case .killed(let signal): throw failed("signal \(signal)")
        case .exited(let status): throw failed("status \(status)")
        }
    }

    private func failed(_ ending: String) -> Failure {
        Failure(.unavailable, "the menu \(name) failed: \(ending); nothing was sent")
    }

    private static let endingSignals = [SIGINT, SIGTERM, SIGHUP]

    /// How many bytes a choice may have: more than the greatest `line` that a daemon can be allowed.
    private static let limit = 1_048_576
}

extension PipedProgram {
    /// Tells the program that there is no more for it, and takes what it prints to its end; nil if that is more than a limit.
    fileprivate func finish(afterReading limit: Int) -> (output: String?, end: ChildResult.Ending) {
        closeInput()
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 4096)
        while bytes.count <= limit {
            let count = read(output, &part, part.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            bytes += part[..<count]
        }
        let isTooMuch = bytes.count > limit
        if isTooMuch { terminate() }
        return (isTooMuch ? nil : String(decoding: bytes, as: UTF8.self), wait())
    }
}
