import Glibc
import TestSupport
import Testing
import XCallbackTesting

/// The effect of TAB in the real shells, on a terminal, with the running daemon.
@Suite(.blocking)
struct CompletionTests {
    private static let configuration = #"""
        schemes: [notes, todo]
        routes:
          - route: notes:/notes/:id/append
            title: Append to a note
            input:
              mark: { type: enum, values: [todo, done], required: false }
              id: { type: int, description: The number }
              text: { description: What to add }
              final: { type: bool, default: "false" }
            returns: { length: int }
            respond: { length: "1" }
          - { route: notes:/notes/all, respond: }
          - { route: "notes:/list/*tags", respond: }
          - { route: todo:/add, input: { when: { type: enum, values: ["now", "to day", "$(touch stolen)", "it's"] } }, respond: }
          - { route: todo:/edit, deliver: editor }
          - { route: 'todo:/my notes/\[x\]', respond: }
          - { route: todo:/saved, publish: todo.saved }
          - { route: todo:/file, input: { file: file }, respond: }
          - { route: todo:/tag, input: { tags: list }, respond: }
        """#

    private let daemon: RunningDaemon
    private let terminal: ShellTerminal

    init() throws {
        daemon = try RunningDaemon(Self.configuration)
        terminal = try ShellTerminal(socket: daemon.socket)
    }

    static let lines: [(String, [String])] = [
        ("xcallback ope", ["open"]), ("xcallback open not", ["open", "notes:/"]),
        ("xcallback open notes:/li", ["open", "notes:/list/*tags"]),
        ("xcallback open notes:/notes/:", ["open", "notes:/notes/:id/append"]),
        ("xcallback open 'notes:/notes/al", ["open", "notes:/notes/all"]),
        ("xcallback explain --origin desktop notes:/li", ["explain", "--origin", "desktop", "notes:/list/*tags"]),
        ("xcallback call todo:/ad", ["call", "todo:/add"]),
        ("xcallback open todo:/my", ["open", "todo:/my%20notes/%5Bx%5D"]),
        ("xcallback routes todo:/e", ["routes", "todo:/edit"]),
        (
            "xcallback open notes:/notes/:id/append --param i",
            ["open", "notes:/notes/:id/append", "--param", "id="]
        ),
        (
            "xcallback open notes:/notes/:id/append --param id=7 --param mark=d",
            ["open", "notes:/notes/:id/append", "--param", "id=7", "--param", "mark=done"]
        ),
        (
            "xcallback open notes:/notes/:id/append --param final=t",
            ["open", "notes:/notes/:id/append", "--param", "final=true"]
        ),
        (
            "xcallback open notes:/notes/:id/append --stdin te",
            ["open", "notes:/notes/:id/append", "--stdin", "text"]
        ),
        ("xcallback open notes:/notes/:id/append --value l", ["open", "notes:/notes/:id/append", "--value", "length"]),
        ("xcallback listen ed", ["listen", "editor"]), ("xcallback subscribe todo.s", ["subscribe", "todo.saved"]),
        ("xcallback monitor --route todo:/sa", ["monitor", "--route", "todo:/saved"]),
        ("xcallback register to", ["register", "todo"]),
        ("xcallback check --config con", ["check", "--config", "config.yaml"]),
        ("xcallback check con", ["check", "config.yaml"]),
        ("xcallback setup ./gre", ["setup", "./greet/"]), ("xcallback setup ./greet/in", ["setup", "./greet/inner/"]),
        ("xcallback open todo:/add --param when=n", ["open", "todo:/add", "--param", "when=now"]),
        (
            "xcallback open todo:/tag --param tags=a --param t",
            ["open", "todo:/tag", "--param", "tags=a", "--param", "tags="]
        ),
        ("xcallback open todo:/file --param file=con", ["open", "todo:/file", "--param", "file=config.yaml"]),
        ("xcallback open todo:/file --param file=sub/d", ["open", "todo:/file", "--param", "file=sub/deep/"]),
        ("xcallbackd --conf", ["--config"]), ("xcallbackd --config con", ["--config", "config.yaml"]),
    ]

    @Test(arguments: ShellTerminal.shells)
    func whatIsMeantIsCompleted(shell: String) throws {
        try terminal.folder.write("", to: "config.yaml")
        try terminal.folder.write("", to: "sub/deep/a")
        try terminal.folder.write("", to: "greet/inner/greet.yaml")
        try terminal.folder.write("", to: "gretel")
        for (line, words) in Self.lines {
            let result = try terminal.type(line, in: shell) { Array($0.words.dropFirst()) == words }
            #expect(Array(result.words.dropFirst()) == words, "\(line): \(result.screen.debugDescription)")
        }
        #expect(!terminal.folder.contains("stolen"))
    }

    static let cutLines: [(breaks: String, end: String, word: String)] = [
        ("", "'todo:/ad", "todo:/add"), (":", "todo:/ad", "todo:/add"), ("", "todo:/add --param 'when=n", "when=now"),
        ("", "todo:/add --param when=n", "when=now"), (":=", "todo:/add --param when=n", "when=now"),
        (":=", "todo:/add --param wh", "when="), ("=", "todo:/add --param when=n", "when=now"),
    ]

    /// Bash splits words at characters that the user can configure.
    @Test(arguments: cutLines)
    func wordsAreWholeWhereverBashPartsThem(breaks: String, end: String, word: String) throws {
        let setting = breaks.isEmpty ? ":" : "COMP_WORDBREAKS=${COMP_WORDBREAKS//[\(breaks)]/}"
        let result = try terminal.type("xcallback open \(end)", in: "bash", after: setting) { $0.words.last == word }
        #expect(result.words.last == word, "\(end): \(result.screen.debugDescription)")
    }

    /// The description beside a value is that of the value, not of the option.
    @Test func fishShowsNoHelpBehindValues() throws {
        let line = "xcallback open notes:/notes/:id/append --param mark="
        let screen = try terminal.type(line, in: "fish", keys: "\\t\\t") { $0.screen.contains("mark=todo") }.screen
        #expect(screen.contains("mark=todo") && !screen.contains("A parameter to add"), "\(screen)")
    }

    /// Required parameters come first, each with its description where the shell shows it.
    @Test(arguments: ShellTerminal.shells)
    func parametersAreListedInTheOrderOfNeed(shell: String) throws {
        let line = "xcallback open notes:/notes/:id/append --param "
        let screen = try terminal.type(line, in: shell, keys: "\\t\\t") { $0.screen.contains("final=") }.screen
        let places = ["id=", "text=", "mark=", "final="].map { screen.ranges(of: $0).first?.lowerBound }
        let found = places.compactMap(\.self)
        #expect(found.count == 4 && found == found.sorted(), "\(screen)")
        if shell != "bash" { #expect(screen.contains("What to add"), "\(screen)") }
    }

    @Test(arguments: ShellTerminal.shells)
    func withoutADaemonNothingIsOfferedAndNothingIsSaid(shell: String) throws {
        let terminal = try ShellTerminal(socket: "/nonexistent")
        let result = try terminal.type("xcallback open no", in: shell, keys: "\\t\\t")
        #expect(Array(result.words.dropFirst()) == ["open", "no"], "\(result.screen)")
        #expect(!result.screen.contains("cannot") && !result.screen.contains("rror"), "\(result.screen)")
    }

    @Test func theDaemonsOptionsAreThoseOfItsHelp() throws {
        let help = try ChildProcess.run([RunningDaemon.program("xcallbackd"), "--help"]).output
        let options = help.split(separator: "\n").filter { $0.hasPrefix("  --") }.map { line in
            String(line.dropFirst(4).prefix { $0 != " " })
        }
        #expect(options.count == 7)
        for shell in ShellTerminal.shells {
            let text = try textOfPackageFile("config/completions/xcallbackd.\(shell)")
            for option in options { #expect(text.contains(shell == "fish" ? "-l \(option) " : "--\(option)")) }
        }
    }
}
