import Glibc
import XCallbackEventLoop

/// Asks the user with the first tool that can.
struct Questioner {
    /// How often a question is asked whose answers come too early; then it is a No.
    private static let roundLimit = 10
    /// How long it takes until it is asked again.
    private static let pause = Duration.milliseconds(300)
    /// How long a signal may be on its way that has ended the tool, too.
    private static let signalDelay = Duration.milliseconds(200)

    private let title: String
    private let lines: [String]
    private let interruption: Interruption

    /// Prepares a question.
    ///
    /// - Parameters:
    ///   - title: The title of its window.
    ///   - lines: Its lines.
    /// - Throws: ``QuestionObstacle`` if signals cannot be waited for.
    init(title: String, lines: [String]) throws(QuestionObstacle) {
        self.title = title
        self.lines = lines
        do throws(Failure) {
            interruption = try Interruption()
        } catch {
            throw QuestionObstacle(error.message)
        }
    }

    /// Asks the user.
    ///
    /// - Throws: ``QuestionObstacle`` if no tool reaches the user.
    func ask() throws(QuestionObstacle) -> QuestionTool.Answer {
        var obstacles: [String] = []
        if Screen.current.isReachable {
            let dialogs = [QuestionTool.zenity, .kdialog].filter { ToolRun.isInstalled($0.name) }
            for tool in dialogs {
                do throws(QuestionObstacle) { return try ask(with: tool) } catch { obstacles.append(error.text) }
            }
            if dialogs.isEmpty { obstacles.append("neither zenity nor kdialog is installed") }
        } else {
            obstacles.append("no display can be reached")
        }
        do throws(QuestionObstacle) {
            return try ask(with: Self.notification())
        } catch {
            throw QuestionObstacle((obstacles + [error.text]).joined(separator: ", and "))
        }
    }

    private func ask(with tool: QuestionTool) throws(QuestionObstacle) -> QuestionTool.Answer {
        for _ in 0..<Self.roundLimit {
            let ending: ToolWindow.Ending
            do throws(SystemError) {
                ending = try ToolWindow.show(tool, title: title, lines: lines).wait(interruption)
            } catch {
                throw QuestionObstacle("\(tool.name) cannot be started")
            }
            guard let status = ending.status, let answer = tool.answer(status: status, output: ending.output) else {
                pause(Self.signalDelay)
                if !ending.errors.isEmpty { Terminal.printError(ending.errors.withVisibleControls) }
                throw QuestionObstacle("\(tool.name) has failed")
            }
            if !ending.isDeaf { return answer }
            pause(Self.pause)
        }
        return .no
    }

    /// Waits, but not for longer than until a signal ends the process.
    private func pause(_ duration: Duration) {
        if case .signal(let number) = interruption.wait(atMost: duration) { Interruption.end(with: number) }
    }

    /// The notification that can ask.
    private static func notification() throws(QuestionObstacle) -> QuestionTool {
        guard ToolRun.isInstalled("notify-send") else { throw QuestionObstacle("notify-send is not installed") }
        guard let server = NotificationServer.ask() else {
            throw QuestionObstacle("no notification service can be reached")
        }
        guard server.hasButtons else { throw QuestionObstacle("the notification service shows no buttons") }
        return .notification(readsMarkup: server.readsMarkup)
    }
}
