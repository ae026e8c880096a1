import ArgumentParser
import Glibc

/// Shows the notices that came too soon after a notification; `handle` starts it without waiting.
struct SumUpCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sum-up", abstract: "Show the number of notices since the last notification.",
        shouldDisplay: false)

    @Argument(help: ArgumentHelp("The scheme.", valueName: "scheme"))
    var scheme: String

    func run() throws {
        guard let file = NoticeFile(of: scheme) else { return }
        usleep(UInt32(NoticeFile.pause / .microseconds(1)))
        let sum = file.takeSum()
        switch sum.count {
        case 0: break
        case 1: UserNotice.show("\(scheme): a URL was not handled", sum.text)
        case let count: UserNotice.show("\(scheme): \(count) URLs were not handled", "The last: \(sum.text)")
        }
    }
}
