/// How the command ends; the numbers from 64 on are those of sysexits.h.
enum ExitStatus: Int32 {
    case success = 0
    /// The command line is not understood.
    case usage = 64
    /// The results cannot be written.
    case output = 74
    /// The configuration has faults.
    case configuration = 78
}
