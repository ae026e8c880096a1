import Testing
import XCallbackTesting

/// The rule of what is code, against judgments by hand: `Tests/Programs`.
struct JudgedCommandTests {
    /// A row of a table.
    private struct Command {
        let isCode: Bool
        let arguments: String
        /// Why the rule may judge otherwise.
        let reason: String?
        var isRefused: Bool { !Self.faults(arguments).isEmpty }

        static func table(_ name: String) throws -> [Command] {
            try textOfFile("\(packageFolder)/Tests/Programs/\(name)").split(separator: "\n").filter {
                !$0.hasPrefix("#")
            }
            .map { line in
                let columns = line.split(separator: "\t").map(String.init)
                return Command(
                    isCode: columns[0] == "code", arguments: columns[1],
                    reason: columns.count > 2 ? columns[2] : nil)
            }
        }

        private static func faults(_ arguments: String) -> [String] {
            Configured.faults(
                of: """
                    schemes: [notes]
                    routes:
                    - route: /a/:x
                      input:
                        { url: url, n: int, m: number, b: bool, u: uuid, d: date, e: { type: enum, values: [left, right] } }
                      exec: \(arguments)
                    """)
        }
    }

    /// The rows that the rule judges otherwise, each of which must have a reason.
    private static func differing(_ commands: [Command]) -> [Command] {
        let differing = commands.filter { $0.isRefused != $0.isCode }
        for command in commands {
            let differs = differing.contains { $0.arguments == command.arguments }
            #expect(differs == (command.reason != nil), "\(command.arguments)")
        }
        return differing
    }

    @Test func nearlyAllCodeIsRefused() throws {
        let commands = try Command.table("commands.tsv")
        #expect(commands.count == 280)
        let differing = Self.differing(commands)
        #expect(differing.count(where: \.isCode) <= 20)
        #expect(!differing.contains { !$0.isCode })
    }

    @Test func ordinaryCommandsAreAccepted() throws {
        let commands = try Command.table("ordinary.tsv")
        #expect(commands.count == 100)
        #expect(Self.differing(commands).count <= 3)
    }
}
