import ArgumentParser
import XCallbackEventLoop
import XCallbackPrograms
import XCallbackURL
import XCallbackWire

/// Asks the user in the desktop session.
struct AskCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ask",
        abstract: "Ask the user yes or no, in a dialog or a notification of the desktop.",
        discussion: """
            Each {} in the text stands for a value, which is shown in quotes, cut after 200 characters, with invisible \
            and misleading characters as codes; {{ and }} are braces. Return, Escape and closing the window mean no. \
            A question that is answered within a second is asked again. Questions are asked one at \
            a time.

            Uses zenity, kdialog, or a notification with buttons (notify-send). The policy 'confirm' runs this \
            command. In a program that the daemon runs, the question also shows where the request comes from.

            Example: xcallback ask -- 'Delete note {}?' 42 && rm 42.txt

            Exit status: 0 yes, 1 no, 64 usage, 69 the user cannot be asked here.
            """,
        shouldDisplay: false
    )

    @Argument(help: "The question.")
    var text: String

    @Argument(help: ArgumentHelp("The value for each {}, in order.", valueName: "value"))
    var values: [String] = []

    func validate() throws {
        do {
            _ = try Question(text, values)
        } catch {
            throw ValidationError("\(error)")
        }
    }

    func run() throws {
        let question = try Question(text, values)
        let asker = Asker.current
        let context = asker.lines
        let answer: QuestionTool.Answer
        do throws(QuestionObstacle) {
            let questioner = try Questioner(
                title: asker.route.map { "Confirm \($0)" } ?? "Confirm",
                lines: question.lines + (context.isEmpty ? [] : [""] + context))
            try QuestionTurn.take()
            answer = try questioner.ask()
        } catch {
            throw Self.failure(error, isForRequest: asker.origin != nil)
        }
        if answer == .no { throw ExitCode(ExitStatus.errorAnswer.rawValue) }
    }

    /// Returns the failure of a command that cannot ask; in a program of the daemon, the daemon reads it as an error answer.
    private static func failure(_ obstacle: QuestionObstacle, isForRequest: Bool) -> any Error {
        guard isForRequest else { return Failure(.unavailable, "the user cannot be asked here: \(obstacle.text)") }
        let error: JSONValue = [
            "code": .number(JSONNumber(CallbackError.Code.unavailable.rawValue)),
            "message": .string("The user cannot be asked here; the daemon's log has the reason."),
        ]
        // The obstacle is not for the sender of the request.
        Terminal.printError("the user cannot be asked here: \(obstacle.text)")
        Terminal.printError(error)
        return ExitCode(ExitStatus.unavailable.rawValue)
    }
}
