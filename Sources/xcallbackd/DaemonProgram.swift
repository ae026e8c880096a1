#if Programs
    import Glibc
    import XCallbackDaemon

    @main
    enum DaemonProgram {
        static func main() {
            exit(Daemon.run(Array(CommandLine.arguments.dropFirst())).rawValue)
        }
    }
#else
    // The tools of a package that only takes the library may build this, too.
    @main
    enum DaemonProgram {
        static func main() { print("xcallbackd was built without the trait 'Programs'") }
    }
#endif
