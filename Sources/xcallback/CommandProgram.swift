#if Programs
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
#else
    // The tools of a package that only takes the library may build this, too.
    @main
    enum CommandProgram {
        static func main() { print("xcallback was built without the trait 'Programs'") }
    }
#endif
