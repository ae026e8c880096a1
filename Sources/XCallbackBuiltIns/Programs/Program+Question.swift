import XCallbackConfiguration
import XCallbackEventLoop
import XCallbackLinux
import XCallbackPipeline
import XCallbackPrograms

extension Program {
    /// The arguments before the question.
    private static let askingArguments = ["ask", "--"]

    /// Decodes a question for `xcallback ask`; each value in it becomes a separate argument.
    ///
    /// - Parameters:
    ///   - node: The text of the question.
    ///   - source: The stage that asks.
    init?(asking node: Node, _ source: StageSource) {
        guard let template = Template(node, source) else { return nil }
        guard !template.parts.isEmpty else {
            source.faults.report("expected a question, found an empty text", at: node.place)
            return nil
        }
        let name = Self.askingProgram
        source.surroundings.programs.check(name, at: node.place, source.faults)
        var text: [UInt8] = []
        var values: [Template.Part] = []
        for part in template.parts {
            if case .literal(let words) = part {
                text += Question.written(words)
            } else {
                text += Question.placeholder
                values.append(part)
            }
        }
        let words = ([name] + Self.askingArguments).map { Array($0.utf8) } + [text]
        let parts = words.map { Template.Part.literal($0) } + values
        self.init(
            parts.map { ArgumentTemplate([$0], isOperand: true, at: node.place, source) }, source,
            for: .status, at: node.place)
    }

    /// Returns the question that the user would see for a request, on one line; nil if no command can be made.
    func question(for request: Request) -> String? {
        guard let command = try? command(for: request) else { return nil }
        let words = command.words.dropFirst(1 + Self.askingArguments.count)
        return try? Question(words.first ?? "", Array(words.dropFirst())).line
    }

    /// The command of this version, beside the daemon; if it does not exist, the one in `PATH`.
    private static var askingProgram: String {
        let name = "xcallback"
        guard let own = try? programPath() else { return name }
        let path = String(decoding: own.prefix((own.lastIndex(of: UInt8(ascii: "/")) ?? -1) + 1), as: UTF8.self) + name
        return ProgramFolders().path(of: path) ?? name
    }
}
