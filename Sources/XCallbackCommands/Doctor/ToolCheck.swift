import Glibc
import XCallbackLinux

/// Checks whether the programs that open URLs and ask questions exist.
enum ToolCheck: DoctorCheck {
    static let name = "tools"

    static func findings(in examination: Examination) -> [Finding] {
        let tools = [
            ("xdg-open", "xdg-utils", "URLs cannot be opened"),
            ("xdg-mime", "xdg-utils", "cannot find the application of a scheme"),
            ("gio", "libglib2.0-bin", "cannot find what GTK programs open"),
            ("update-desktop-database", "desktop-file-utils", "GTK programs do not see registered schemes"),
            ("notify-send", "libnotify-bin", "errors of URLs without x-error are only in the journal"),
        ]
        let findings = tools.map { name, package, loss in
            ToolRun.isInstalled(name)
                ? Finding(.good, of: name, name) : missing(name, "\(name) is not installed: \(loss)", package)
        }
        let dialogs = ["zenity", "kdialog"].filter { ToolRun.isInstalled($0) }
        if !dialogs.isEmpty {
            return findings + [Finding(.good, of: "dialogs", dialogs.joined(separator: ", "))]
        }
        let loss = "questions are notifications, or impossible"
        return findings + [missing("dialogs", "neither zenity nor kdialog is installed: \(loss)", "zenity")]
    }

    private static func missing(_ name: String, _ text: String, _ package: String) -> Finding {
        Finding(.note, of: name, text, mend: installation(of: package), advice: advice(for: package))
    }

    /// Returns the command that installs a Debian package; nil without apt-get.
    static func installation(of package: String) -> Finding.Mend? {
        guard access("/usr/bin/apt-get", X_OK) == 0 else { return nil }
        return Finding.Mend(command: "apt-get install --yes \(package)", needsRoot: geteuid() != 0)
    }

    /// Returns the advice for other systems.
    static func advice(for package: String) -> String? {
        installation(of: package) == nil ? "install the equivalent of Debian's \(package)" : nil
    }
}
