import Glibc
import XCallbackBytes
import XCallbackLinux

/// Checks whether sandboxed browsers can pass URLs to the desktop: they use its portal.
enum BrowserCheck: DoctorCheck {
    static let name = "browsers"

    private static let words = ["firefox", "chrom", "brave", "vivaldi", "opera", "edge", "librewolf", "epiphany"]

    static func findings(in examination: Examination) -> [Finding] {
        let home = variable("HOME") ?? ""
        let folders = [
            "/var/lib/flatpak/exports/share/applications", "/var/lib/snapd/desktop/applications",
            "\(variable("XDG_DATA_HOME") ?? "\(home)/.local/share")/flatpak/exports/share/applications",
        ]
        let browsers = folders.flatMap { folder in
            (FolderEntries(of: folder)?.names ?? []).filter { name in
                name.hasSuffix(".desktop") && words.contains { name.lowercased().contains(text: $0) }
            }
        }
        guard !browsers.isEmpty else { return [] }
        let data = ((try? DesktopFolders())?.data ?? []) + ["/usr/share"]
        let hasPortal = data.contains {
            access("\($0)/dbus-1/services/org.freedesktop.portal.Desktop.service", F_OK) == 0
        }
        let names = browsers.map { String($0.dropLast(".desktop".count)) }.joined(separator: ", ")
        if hasPortal {
            return [Finding(.good, of: names, "confined browsers (\(names)) open URLs through the desktop's portal")]
        }
        let packages = "xdg-desktop-portal xdg-desktop-portal-gtk"
        return [
            Finding(
                .note, of: names,
                "confined browsers (\(names)) cannot open URLs of other applications: no portal is installed",
                mend: ToolCheck.installation(of: packages), advice: ToolCheck.advice(for: packages))
        ]
    }
}
