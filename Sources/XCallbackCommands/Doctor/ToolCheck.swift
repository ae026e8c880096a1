import Glibc
import XCallbackLinux

/// Whether the programs are there that open URLs and ask questions.
enum ToolCheck: DoctorCheck {
    static let name = "tools"

    static func findings(in examination: Examination) -> [Finding] {
        let tools = [
            ("xdg-open", "xdg-utils", "no URL can be opened"),
            ("xdg-mime", "xdg-utils", "who has a scheme is not told"),
            ("gio", "libglib2.0-bin", "what GTK programs open is not told"),
            ("update-desktop-database", "desktop-file-utils", "'register' cannot tell GTK programs of schemes"),
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
        let loss = "questions are notifications, or cannot be asked"
        return findings + [missing("dialogs", "neither zenity nor kdialog is installed: \(loss)", "zenity")]
    }

    private static func missing(_ name: String, _ text: String, _ package: String) -> Finding {
        Finding(.note, of: name, text, mend: installation(of: package), advice: advice(for: package))
    }

    /// The command that installs a package of Debian; nil where there is no apt-get.
    static func installation(of package: String) -> Finding.Mend? {
        guard access("/usr/bin/apt-get", X_OK) == 0 else { return nil }
        return Finding.Mend(command: "apt-get install --yes \(package)", needsRoot: geteuid() != 0)
    }

    /// What to do elsewhere.
    static func advice(for package: String) -> String? {
        installation(of: package) == nil ? "install what Debian calls \(package)" : nil
    }
}
