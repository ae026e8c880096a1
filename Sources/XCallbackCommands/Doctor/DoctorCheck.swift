/// A check of `xcallback doctor`.
protocol DoctorCheck: Sendable {
    /// The name in JSON output.
    static var name: String { get }
    /// Performs the check without changing anything.
    static func findings(in examination: Examination) -> [Finding]
}

/// The checks, in the order in which a request passes the parts that they check.
enum DoctorChecks {
    static let all: [any DoctorCheck.Type] = [
        DaemonCheck.self, SocketCheck.self, UnitCheck.self, ServedConfigurationCheck.self,
        ReceiverCheck.self, ProgramRunCheck.self, AssistantsCheck.self, ToolCheck.self, EntryCheck.self,
        SchemeCheck.self, BrowserCheck.self,
    ]
    /// The checks of the desktop, which do not apply without one, and to the daemon of a machine.
    static let ofDesktop: Set<String> = [
        ToolCheck.name, EntryCheck.name, SchemeCheck.name, BrowserCheck.name,
    ]
}
