import ArgumentParser
import XCallbackBuiltIns
import XCallbackLinux
import XCallbackURL
import XCallbackWire

/// Asks the user in the desktop session.
struct AskCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ask",
        abstract: "Ask the user yes or no, in a dialog or a notification of the desktop.",
        discussion: """
            Each {} in the text stands for a value, which is shown in quotes, cut after ten lines, with invisible \
            and misleading characters as codes; {{ and }} are braces. Return, Escape and closing the window mean no. \
            A question that is answered within a second of its window is asked again; so is one within three seconds \
            of the start of zenity or kdialog, which do not report their windows. Questions are asked one at a time.

            Uses zenity, kdialog, or a notification with buttons (notify-send). The policy 'confirm' runs this \
            command. In a program that the daemon runs, the question also shows where the request comes from.

            Example: xcallback ask -- 'Delete note {}?' 42 && rm 42.txt

            Exit status: 0 yes, 1 no, 64 usage, 69 the user cannot be asked here.
            """,
        shouldDisplay: false
    )

    @Option(help: ArgumentHelp("What is asked about, for the title of the window.", valueName: "title"))
    var title: String?

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
        let isYes: Bool
        do throws(Failure) {
            let questioner = try Questioner(
                title: (title ?? asker.route).map { "\($0) – xcallback" } ?? "xcallback",
                lines: question.lines + (context.isEmpty ? [] : [""] + context))
            do throws(SystemError) { try QuestionTurn.take() } catch {
                throw Failure(.unavailable, "cannot lock a file in $XDG_RUNTIME_DIR or ~/.cache: \(error)")
            }
            isYes = try questioner.ask()
        } catch {
            throw Self.failure(error.message, isForRequest: asker.origin != nil)
        }
        if !isYes { throw ExitCode(ExitStatus.errorAnswer.rawValue) }
    }

    /// Returns the failure of a command that cannot ask; in a program of the daemon, the daemon reads it as an error answer.
    private static func failure(_ reason: String, isForRequest: Bool) -> any Error {
        let message = "the user cannot be asked here: \(reason)"
        guard isForRequest else { return Failure(.unavailable, message) }
        let error: JSONValue = [
            "code": .number(JSONNumber(CallbackError.Code.unavailable.rawValue)),
            "message": .string("The user cannot be asked here; the daemon's log has the reason."),
        ]
        // The reason is not for the sender of the request.
        Terminal.printError(message)
        Terminal.printError(error)
        return ExitCode(ExitStatus.unavailable.rawValue)
    }
}
