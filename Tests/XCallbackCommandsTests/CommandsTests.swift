import ArgumentParser
import TestSupport
import Testing

@testable import XCallbackCommands

/// What the first word of a command line names.
@Suite(.blocking)
struct CommandsTests {
    static let slips: [(words: [String], answer: String)] = [
        (["opne", "notes:/x"], "'opne'; did you mean 'open'?"), (["opne", "--help"], "'opne'; did you mean 'open'?"),
        (["help", "rotues"], "'rotues'; did you mean 'routes'?"), (["Check"], "'Check'; did you mean 'check'?"),
        (["frobnicate", "--json"], "'frobnicate'"), ([""], "''"),
        (["op\u{1B}n"], "'op<U+001B>n'; did you mean 'open'?"),
    ]

    @Test(arguments: slips)
    func aMisspeltCommandIsNamedWithTheOneThatWasMeant(words: [String], answer: String) throws {
        let workspace = try CommandWorkspace()
        let result = try workspace.run(words)
        let errors = "xcallback: there is no command \(answer)\nsee 'xcallback --help'\n"
        #expect(result == ProgramResult(status: 64, errors: errors))
    }

    @Test(arguments: [["help"], ["help", "open"], ["open", "--help"], ["--help"], ["--version"], ["help", "help"]])
    func helpIsForCommandsThatThereAre(words: [String]) throws {
        let workspace = try CommandWorkspace()
        let result = try workspace.run(words)
        #expect(result.status == 0 && result.errors.isEmpty, "\(result)")
    }

    /// `open` is parsed without the other commands, and nobody notices it.
    @Test(arguments: [
        ["open"], ["open", "--help"], ["open", "-h"], ["open", "--version"], ["open", "--vlaue", "x"],
        ["open", "a", "--json=1"], ["open", "--socket"], ["open", "--", "--help"], ["open", "help"],
        ["open", "--", "-x:y", "notes:/a b"],
    ])
    func openParsedAloneAnswersAsAmongAllCommands(words: [String]) throws {
        func outcome(_ parse: ([String]) throws -> any ParsableCommand) -> String {
            do {
                return "\(try parse(words))"
            } catch {
                return "\(RootCommand.exitCode(for: error).rawValue) \(RootCommand.fullMessage(for: error))"
            }
        }
        expect(outcome(RootCommand.command), equals: outcome { try RootCommand.parseAsRoot($0) })
    }

    /// The words that people try first.
    @Test(arguments: [
        ("list", "; use 'xcallback routes'"), ("run", "; use 'xcallback open'"), ("add", "; use 'xcallback init'"),
        ("delete", "; use 'xcallback remove'"), ("change", "; use 'xcallback edit'"),
        ("stop", "; the service manager does that: 'systemctl --user stop xcallbackd.socket xcallbackd.service'"),
    ])
    func aSynonymLeadsToTheCommand(word: String, hint: String) throws {
        let result = try CommandWorkspace().run(word)
        #expect(result.status == 64)
        #expect(result.errors.hasPrefix("xcallback: there is no command '\(word)'\(hint)"), "\(result.errors)")
    }

    @Test func theHelpIsInGroupsAndFitsAScreen() throws {
        let text = try CommandWorkspace().run("--help").output
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count <= 47, "\(lines.count)")
        let groups = lines.filter { $0.hasSuffix(" SUBCOMMANDS:") }.map { $0.prefix { $0 != " " } }
        #expect(groups == ["START", "USE", "SEE", "RUN", "PROGRAMS", "LINKS"])
        for name in ["handle", "sum-up"] { #expect(!text.contains("\n  \(name) "), "\(name)") }
    }
}
