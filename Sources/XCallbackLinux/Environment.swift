import Glibc

/// Returns an environment variable; nil if it is unset or empty.
package func variable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
}

/// The variable that selects where Dispatch writes its log.
private let dispatchLog = "LIBDISPATCH_LOG"

/// Switches off the log of Dispatch; call it first in `main`.
///
/// Dispatch gives its threads the priority of their work, and logs each time that only root may raise it. The journal would
/// add the command line, with its URLs, to each of these lines.
package func silenceDispatch() {
    setenv(dispatchLog, "NO", 1)
}

/// Opens the null device for each missing one of the descriptors 0, 1 and 2; call it first in `main`.
///
/// Otherwise the process's own files would take these numbers, and lines of the log would be written into them.
package func openMissingStandardDescriptors() {
    for number in STDIN_FILENO...STDERR_FILENO where fcntl(number, F_GETFD) < 0 { _ = open("/dev/null", O_RDWR) }
}

/// Returns the environment of this process for its children, as `NAME=value`.
package func inheritedVariables() -> [String] {
    var variables: [String] = []
    var next = environ
    while let text = next.pointee {
        let variable = String(cString: text)
        // It is set here, and not for other programs.
        if !variable.hasPrefix("\(dispatchLog)=") { variables.append(variable) }
        next += 1
    }
    return variables
}
