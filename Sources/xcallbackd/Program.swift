import Glibc
import XCallbackDaemon

@main
enum Program {
    static func main() {
        exit(Daemon.run(Array(CommandLine.arguments.dropFirst())).rawValue)
    }
}
