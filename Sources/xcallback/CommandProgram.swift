import CArguments
import Glibc
import XCallbackCommands

@main
enum CommandProgram {
    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        xcb_hide_values()
        exit(Commands.run(arguments))
    }
}
