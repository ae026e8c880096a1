import ArgumentParser
import Testing
import XCallbackTesting

@testable import XCallbackCommands

/// Command lines that are read without ArgumentParser.
struct CommandWordsTests {
    static let names = ["open", "call", "publish", "explain", "handle", "pick"]

    @Test(arguments: [
        ["open", "notes:/list"], ["open", "--json", "notes:/list", "notes:/next"],
        ["open", "notes:/add", "--param", "title=Milk", "--param=text=a b", "--value", "id", "--system"],
        ["open", "--stdin", "text", "--socket=/run/socket", "--", "notes:/add"],
        ["call", "bear:/create", "--timeout", "30s", "--form", "--opener", "xdg-open"],
        ["publish", "news", "title=Milk", "id"], ["handle", "--", "notes:/add?title=Milk"],
        ["explain", "--origin", "desktop", "--peer", "0", "--group", "0", "--group=1", "--user", "notes:/add"],
        ["pick"], ["pick", "--print", "--menu", "rofi", "-dmenu", "--", "-i"],
    ])
    func whatPeopleWriteIsReadSo(line: [String]) throws {
        try #require(QuickCommands.command(line) != nil)
        try Self.compare(line)
    }

    /// ArgumentParser tells what is wrong, and helps.
    @Test(arguments: [
        ["open"], ["open", "notes:/list", "--help"], ["open", "-h"], ["open", "--jsn", "notes:/list"],
        ["open", "notes:/list", "--socket"], ["open", "--value=", "notes:/list"],
        ["open", "notes:/list", "--json", "--value", "id"],
        ["open", "notes:/list", "--system", "--user"], ["open", "notes:/list", "--param", "x-success=a"],
        ["explain", "notes:/list", "--origin", "nowhere"], ["call", "notes:/list", "--timeout", "soon"], ["status"], [],
    ])
    func whatIsWrongIsLeftToTheParser(line: [String]) {
        #expect(QuickCommands.command(line) == nil)
    }

    /// Whatever a command line is, both read the same, or the quick way leaves it alone.
    @Test(arguments: names)
    func bothReadTheSame(name: String) throws {
        let type = try #require(QuickCommands.type(named: name))
        #expect(type.configuration.commandName == name)
        var random = SeededGenerator(seed: 31)
        var readCount = 0
        let lineCount = 2000
        for _ in 0..<lineCount {
            if try Self.compare([name] + Self.words(for: type.names, &random)) { readCount += 1 }
        }
        #expect(readCount > lineCount / 20, "hardly any of the lines was read: they tell nothing")
    }

    /// Compares what both make of a command line; whether the quick way has read it.
    @discardableResult
    private static func compare(_ line: [String]) throws -> Bool {
        guard let quick = QuickCommands.command(line) else { return false }
        let parsed: any ParsableCommand
        do {
            parsed = try RootCommand.parseAsRoot(line)
        } catch {
            Issue.record("\(line) is faulty: \(RootCommand.message(for: error))")
            return true
        }
        var (left, right) = ("", "")
        dump(quick, to: &left)
        dump(parsed, to: &right)
        #expect(left == right, "\(line)")
        return true
    }

    /// Words for a command: usual ones, and each kind of mistake.
    private static func words(for names: CommandWords.Names, _ random: inout SeededGenerator) -> [String] {
        let options =
            names.flags + names.values + names.lists + (names.rest.map { [$0] } ?? []) + ["help", "unknown", ""]
        let values = [
            "notes:/list", "a=b", "title=Milk & honey", "desktop", "30s", "", "-", "-x", "-x=1", "--", "--json", "Ä=ö",
            "x-a=1", "0", "5",
        ]
        return (0..<Int.random(in: 0...6, using: &random)).flatMap { _ -> [String] in
            let option = "--\(options.randomElement(using: &random) ?? "")"
            let value = values.randomElement(using: &random) ?? ""
            return switch Int.random(in: 0..<10, using: &random) {
            case 0..<4: [value]
            case 4: ["\(option)=\(value)"]
            case 5: [option]
            default: names.flags.contains(String(option.dropFirst(2))) ? [option] : [option, value]
            }
        }
    }
}
