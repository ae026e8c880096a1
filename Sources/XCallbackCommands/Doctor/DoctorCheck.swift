/// One of the things that `xcallback doctor` looks at.
protocol DoctorCheck: Sendable {
    /// Its name, for programs.
    static var name: String { get }
    /// Looks; it changes nothing.
    static func findings(in examination: Examination) -> [Finding]
}

/// The checks, in the order in which a request meets what they look at.
enum DoctorChecks {
    static let all: [any DoctorCheck.Type] = [
        DaemonCheck.self, SocketCheck.self, UnitCheck.self, ServedConfigurationCheck.self, CredentialsCheck.self,
        ReceiverCheck.self, ProgramRunCheck.self, AssistantsCheck.self, ToolCheck.self, EntryCheck.self,
        ActivationFileCheck.self,
        SchemeCheck.self, BrowserCheck.self,
    ]
    /// Those that look at a desktop, of which a machine's daemon has none.
    static let ofDesktop: Set<String> = [
        ToolCheck.name, EntryCheck.name, ActivationFileCheck.name, SchemeCheck.name, BrowserCheck.name,
    ]
}
