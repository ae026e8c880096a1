import Glibc
import XCallbackCommands

@main
enum Program {
    static func main() {
        exit(Commands.run(Array(CommandLine.arguments.dropFirst())))
    }
}
