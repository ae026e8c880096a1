import Glibc
import XCallbackLinux

/// Checks whether the session's message bus can start the service that accepts URLs there.
enum ActivationFileCheck: DoctorCheck {
    static let name = "bus"
    private static let fileName = "org.xcallback.Router.service"

    static func findings(in examination: Examination) -> [Finding] {
        guard let folders = try? DesktopFolders() else { return [] }
        for folder in folders.data {
            let file = UserFile(path: "\(folder)/dbus-1/services/\(fileName)")
            guard let text = try? file.read() else { continue }
            let line = text.split(separator: "\n").first { $0.hasPrefix("Exec=") }
            let program = line?.dropFirst(5).split(separator: " ").first.map(String.init) ?? ""
            if ToolRun.isExecutable(program) {
                return [Finding(.good, of: file.path, "the message bus starts \(program)")]
            }
            return [
                Finding(
                    .fault, of: file.path, "the message bus would start '\(program)', which does not exist",
                    mend: Finding.Mend(
                        command: "rm \(file.path.shellWord)", needsRoot: geteuid() != 0 && folder != folders.data.first),
                    advice: "or reinstall the package")
            ]
        }
        return [
            Finding(
                .skipped, of: fileName,
                "the message bus has no service file for xcallback; only programs that send URLs over the bus need it")
        ]
    }
}
