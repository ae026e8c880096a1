import ArgumentParser
import Glibc
import XCallbackAdministration
import XCallbackBuiltIns
import XCallbackClient
import XCallbackLinux
import XCallbackURL
import XCallbackWire

/// Asks the user in the desktop session.
struct AskCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ask",
        abstract: "Ask the user yes or no on the desktop.",
        discussion: """
            Each {} in the text stands for a value, which is shown in quotes, cut after ten lines, with invisible \
            and misleading characters as codes; {{ and }} are braces. Return, Escape and closing the window mean no. \
            A question that is answered within a second of its window is asked again; so is one within three seconds \
            of the start of zenity or kdialog, which do not report their windows. Questions are asked one at a time.

            Uses zenity, kdialog, or a notification with buttons (notify-send), if its server shows them: mako and \
            dunst do not. An assistant's request needs a dialog, because any program can press a notification's \
            button. The policy 'confirm' runs this command. In a program that the daemon runs, the question also \
            shows where the request comes from.

            Example: xcallback ask -- 'Delete note {}?' 42 && rm 42.txt

            Exit status: 0 yes, 1 no, 64 usage, 69 the user cannot be asked here.
            """
    )

    @Option(help: ArgumentHelp("What is asked about, for the title of the window.", valueName: "title"))
    var title: String?

    @Flag(
        help:
            "Show values whole: long ones in a window that scrolls, before the question. Needs a dialog; at most 16 KiB."
    )
    var whole = false

    @Flag(help: .hidden)
    var form = false

    @Argument(help: "The question.")
    var text: String

    @Argument(help: ArgumentHelp("The value for each {}, in order.", valueName: "value"))
    var values: [String] = []

    func validate() throws {
        do {
            if !form { _ = try Question(text, values) }
        } catch {
            throw ValidationError("\(error)")
        }
    }

    func run() throws {
        // What a link lacks, in the request that the daemon writes.
        let isForm = form
        let form =
            isForm ? (try? JSONValue(parsing: Asker.readInput().span, maximumSize: .max))?["data"]?["@form"] : nil
        if isForm, form == nil { throw Self.failure("the request cannot be read", isForRequest: true) }
        let values = form?["values"]?.elements?.compactMap(\.text) ?? values
        let whole = form?["whole"] == .bool(true) || whole
        let question = try Question(form?["text"]?.text ?? text, values)
        let fields = form?["fields"]?.elements?.compactMap { try? Client.CatalogueRoute.Parameter(reading: $0) } ?? []
        let asker = Asker.current
        let next = "Yes opens a form for: \(fields.map(\.name).joined(separator: ", "))"
        let notes = [fields.isEmpty ? [] : (try? Question(next).lines) ?? [], asker.lines].filter { !$0.isEmpty }
        let isYes: Bool
        do throws(Failure) {
            let size = values.reduce(0) { $0 + $1.utf8.count }
            if whole, size > Question.wholeLimit {
                throw Failure(.unavailable, "its values have \(size) bytes; at most \(Question.wholeLimit) are shown")
            }
            let wholeLines = question.wholeLines
            let isLong = whole && wholeLines.count > Question.lineLimit
            let questioner = try Questioner(
                title: (title ?? asker.route).map { "\($0) – xcallback" } ?? "xcallback",
                lines: (whole && !isLong ? wholeLines : question.lines) + notes.flatMap { [""] + $0 },
                text: isLong ? wholeLines : nil,
                // A redirect can hide an assistant.
                needsDialog: whole || form != nil || ["agent", "internal"].contains(asker.origin))
            do throws(SystemError) { try QuestionTurn.take(for: asker.route ?? "") } catch {
                throw Failure(.unavailable, "cannot lock a file in $XDG_RUNTIME_DIR or ~/.cache: \(error)")
            }
            isYes = try questioner.ask()
            if isYes, form != nil {
                let text = question.lines.joined(separator: "\n")
                var (items, menus) = (QueryItems(), Menus.ofDialogs)
                try fields.complete(
                    &items, title ?? asker.route ?? "xcallback", text, heading: text, with: &menus)
                let members = fields.map { field in
                    JSONValue.Member(field.name, .texts(items.filter { $0.name == field.name }.compactMap(\.value)))
                }
                try Terminal.print(.object(members.filter { $0.value != .array([]) }))
            }
        } catch  where error.status == .cancelled {
            throw ExitCode(ExitStatus.errorAnswer.rawValue)
        } catch {
            throw Self.failure(error.message, isForRequest: asker.origin != nil)
        }
        if !isYes { throw ExitCode(ExitStatus.errorAnswer.rawValue) }
    }

    /// Returns the failure of a command that cannot ask; in a program of the daemon, the daemon reads it as an error answer.
    private static func failure(_ reason: String, isForRequest: Bool) -> any Error {
        let message = "the user cannot be asked here: \(reason)"
        guard isForRequest else { return Failure(.unavailable, message) }
        let lacksDialog = reason.hasPrefix(QuestionTool.lack)
        let help = lacksDialog ? "install zenity or kdialog" : "the daemon's log has the reason"
        let error: JSONValue = [
            "code": .number(JSONNumber(CallbackError.Code.unavailable.rawValue)),
            "message": .string("The user cannot be asked here; \(help)."),
        ]
        // Any other reason is not for the sender of the request.
        Terminal.printError(message)
        Terminal.printError(error)
        return ExitCode(ExitStatus.unavailable.rawValue)
    }
}

/// The origin of a request, as far as it is known to the program that asks about it.
package struct Asker {
    /// The maximum size of a request on standard input, and the time limit for reading it.
    private static let (inputLimit, patience) = (4_194_304, Duration.seconds(1))

    let origin: String?
    let route: String?
    private let source: String?
    /// The sender's user ID, if it differs from that of this process.
    private let otherUserID: UInt32?
    private let process: ProcessState?

    /// Creates the description of a request, which the input has in the form that programs get.
    package init(environment: (String) -> String?, input: () -> [UInt8]) {
        origin = environment("XCALLBACK_ORIGIN")
        source = environment("XCALLBACK_SOURCE")
        route = environment("XCALLBACK_ROUTE")
        otherUserID = environment("XCALLBACK_UID").flatMap { UInt32($0) }.flatMap { $0 == geteuid() ? nil : $0 }
        guard ["socket", "agent"].contains(origin) else {
            process = nil
            return
        }
        let bytes = input()
        let request = try? JSONValue(parsing: bytes.span, maximumSize: bytes.count)
        process = request?["peer"]?["pid"]?.integer.flatMap { Int32(exactly: $0) }.flatMap { ProcessState(of: $0) }
    }

    static var current: Asker { Asker(environment: variable, input: readInput) }

    /// The lines that describe it to the user, without unverified claims.
    package var lines: [String] {
        var sentences: [(words: String, values: [String])] = []
        let user = otherUserID.map { " of user \($0)" } ?? ""
        switch origin {
        case "desktop": sentences.append(("A link or a web page asks for this.", []))
        // The earlier origin of the request is unknown.
        case "internal":
            sentences.append(("A redirect leads to this, perhaps from a web page.", []))
        case "agent": sentences.append(assistant(user))
        case "socket":
            guard let sender, let program = sender.program else {
                sentences.append(("A program\(user) asks for this.", []))
                break
            }
            sentences.append(("The program {}\(user) asks for this (process \(sender.id)).", [program]))
        default: return []
        }
        if let source { sentences.append(("The sender calls itself {}.", [source])) }
        return sentences.flatMap { (try? Question($0.words, $0.values).lines) ?? [] }
    }

    /// The sending process; a process that started after this one only reuses its number.
    private var sender: ProcessState? {
        process.flatMap { $0.startTime <= ProcessState.own?.startTime ?? 0 ? $0 : nil }
    }

    /// Returns the sentence about an assistant: its process is 'xcallback mcp', which the assistant's program starts, or a
    /// process in a sandbox.
    private func assistant(_ user: String) -> (words: String, values: [String]) {
        guard let sender, let program = sender.program else { return ("An assistant\(user) asks for this.", []) }
        let isOwn = program == ProcessState.own?.program
        let parent = sender.parentID > 1 ? ProcessState(of: sender.parentID)?.program : nil
        let start = parent == nil ? "" : ", started by {}"
        return (
            "An assistant\(user) asks for this (\(isOwn ? "xcallback mcp" : "{}")\(start)).",
            (isOwn ? [] : [program]) + (parent.map { [$0] } ?? [])
        )
    }

    /// Reads the first line of standard input, which is the request if no other program has read it.
    fileprivate static func readInput() -> [UInt8] {
        if isatty(STDIN_FILENO) == 1 { return [] }
        let bytes = try? readAll(STDIN_FILENO, until: .now + patience, atMost: inputLimit, isLine: true)
        return Array((bytes ?? []).prefix { $0 != UInt8(ascii: "\n") })
    }
}
