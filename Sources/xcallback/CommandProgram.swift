import CLinux
import Glibc
import XCallbackCommands

@main
enum CommandProgram {
    static func main() {
        let arguments = Commands.arguments(CommandLine.unsafeArgv, count: CommandLine.argc)
        xcb_hide_values(CommandLine.unsafeArgv, CommandLine.argc)
        exit(Commands.run(arguments))
    }
}
