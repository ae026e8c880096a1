import Glibc
import XCallbackLinux

/// Asks the user with the first tool that works.
struct Questioner {
    /// How often a question is repeated if the answers come too early; then the answer is No.
    private static let roundLimit = 10
    /// The pause before it is repeated.
    private static let pause = Duration.milliseconds(300)
    /// How long a signal that has also ended the tool may take to arrive.
    private static let signalDelay = Duration.milliseconds(200)

    private let title: String
    private let lines: [String]
    /// The dialogs to try.
    private let dialogs: [QuestionTool]
    /// The tool to try if there is no dialog.
    private let notification: QuestionTool?

    /// Prepares a question.
    ///
    /// - Parameters:
    ///   - title: The title of the window.
    ///   - lines: The lines.
    /// - Throws: ``QuestionObstacle`` if no tool can be tried.
    init(title: String, lines: [String]) throws(QuestionObstacle) {
        self.title = title
        self.lines = lines
        // Without a display, the buttons of a notification may be invisible, too.
        guard Screen.current.isReachable else { throw .noDisplay }
        dialogs = [QuestionTool.zenity, .kdialog].filter { ToolRun.isInstalled($0.name) }
        guard dialogs.isEmpty else {
            notification = nil
            return
        }
        do throws(QuestionObstacle) {
            notification = try Self.findNotification()
        } catch {
            throw QuestionObstacle("neither zenity nor kdialog is installed, and \(error.text)")
        }
    }

    /// Asks the user.
    ///
    /// - Returns: The answer.
    /// - Throws: ``QuestionObstacle`` if no tool reaches the user.
    func ask() throws(QuestionObstacle) -> QuestionTool.Answer {
        let interruption: Interruption
        do throws(Failure) { interruption = try Interruption() } catch { throw QuestionObstacle(error.message) }
        var obstacles: [String] = []
        for tool in dialogs {
            do throws(QuestionObstacle) {
                return try ask(with: tool, interruption)
            } catch {
                obstacles.append(error.text)
            }
        }
        do throws(QuestionObstacle) {
            let tool = if let notification { notification } else { try Self.findNotification() }
            return try ask(with: tool, interruption)
        } catch {
            throw QuestionObstacle((obstacles + [error.text]).joined(separator: ", and "))
        }
    }

    private func ask(
        with tool: QuestionTool, _ interruption: Interruption
    ) throws(QuestionObstacle) -> QuestionTool.Answer {
        for _ in 0..<Self.roundLimit {
            let ending: ToolWindow.Ending
            do throws(SystemError) {
                ending = try ToolWindow.show(tool, title: title, lines: lines).wait(interruption)
            } catch {
                throw QuestionObstacle("cannot start \(tool.name)")
            }
            guard let status = ending.status, let answer = tool.answer(status: status, output: ending.output) else {
                interruption.pause(Self.signalDelay)
                if !ending.errors.isEmpty { Terminal.printError(ending.errors.withVisibleControls) }
                throw QuestionObstacle("\(tool.name) failed")
            }
            if !ending.ignoresInput { return answer }
            interruption.pause(Self.pause)
        }
        return .no
    }

    /// Returns the notification tool that can ask.
    private static func findNotification() throws(QuestionObstacle) -> QuestionTool {
        guard ToolRun.isInstalled("notify-send") else { throw QuestionObstacle("notify-send is not installed") }
        guard let server = NotificationServer.ask() else {
            throw QuestionObstacle("no notification service can be reached")
        }
        guard server.hasButtons else { throw QuestionObstacle("the notification service does not support buttons") }
        return .notification(readsMarkup: server.readsMarkup)
    }
}

extension Interruption {
    /// Sleeps for a time; a signal meanwhile ends the process.
    fileprivate func pause(_ duration: Duration) {
        if case .signal(let number) = wait(atMost: duration) { Self.end(with: number) }
    }
}
