import Glibc
import XCallbackDaemon

@main
enum DaemonProgram {
    static func main() {
        exit(Daemon.run(Array(CommandLine.arguments.dropFirst())).rawValue)
    }
}
