import Glibc
import XCallbackLinux

/// The entry by which the user's desktop session starts the daemon, where no service manager does (OpenRC, runit).
struct AutostartEntry {
    private static let mark = "# Written by 'xcallback register'; 'xcallback unregister' removes it."

    private let file: UserFile
    /// The path.
    var path: String { file.path }

    /// Locates the entry.
    ///
    /// - Throws: ``Failure`` if the user's folders cannot be determined.
    init() throws(Failure) {
        let folder = try DesktopFolders.folder("XDG_CONFIG_HOME", orIn: ".config")
        file = UserFile(path: "\(folder)/autostart/xcallbackd.desktop")
    }

    /// Whether there is a user's daemon that no service manager starts.
    static var isNeeded: Bool { geteuid() != 0 && !ManagerScope.system.isRunning && !ManagerScope.user.isRunning }

    /// Whether it exists.
    var exists: Bool { access(path, F_OK) == 0 }

    /// Writes the entry if it is needed and does not exist.
    ///
    /// - Parameter command: The path of `xcallback`.
    /// - Returns: Whether it was written.
    /// - Throws: ``Failure`` if it cannot be written.
    func add(beside command: String) throws(Failure) -> Bool {
        guard Self.isNeeded, !exists else { return false }
        let beside = command.prefix(upTo: command.lastIndex(of: "/") ?? command.startIndex) + "/xcallbackd"
        let isBeside = ToolRun.isExecutable(String(beside))
        let daemon = isBeside ? DesktopEntry.word(for: String(beside)) ?? "xcallbackd" : "xcallbackd"
        try file.replace(
            with: """
                [Desktop Entry]
                \(Self.mark)
                Type=Application
                Name=xcallbackd
                Comment=Answers URLs of applications and scripts
                Exec=\(daemon)
                NoDisplay=true
                Terminal=false
                X-systemd-skip=true

                """)
        return true
    }

    /// Removes the entry, unless it has another author.
    ///
    /// - Throws: ``Failure`` if it cannot be removed.
    func remove() throws(Failure) {
        if try file.read()?.contains(Self.mark) == true { try file.remove() }
    }
}

/// The display of the user's service manager, from which the programs of the daemon have theirs.
///
/// GNOME, KDE and niri pass theirs to the manager; sway, i3 and startx do not.
enum ManagerDisplay {
    /// The variables that the service manager gives to programs, as `NAME=value`; nil if it does not answer.
    static var variables: [Substring]? {
        let run = ToolRun(asking: ["systemctl", "--user", "show-environment"], limit: .seconds(5))
        return run.ending == .exited(0) ? run.output.split(separator: "\n") : nil
    }

    /// Whether the service manager has no display, although this session has one.
    static var isMissing: Bool {
        Menu.hasDisplay && variables.map(isNamed) == false
    }

    /// Whether variables name a display.
    static func isNamed(by variables: [Substring]) -> Bool {
        variables.contains { $0.hasPrefix("DISPLAY=") || $0.hasPrefix("WAYLAND_DISPLAY=") }
    }

    /// The command that gives the session's display to the manager.
    static var command: String { ManagerScope.displayImport + (variable("XAUTHORITY") == nil ? "" : " XAUTHORITY") }

    /// Where a line for the start of each session belongs: the names of a desktop in `XDG_CURRENT_DESKTOP`, or a variable of
    /// its sessions; the file; and the line before the command.
    private static let places: [(names: [String], file: String, start: String)] = [
        (["sway", "SWAYSOCK"], "~/.config/sway/config", "exec "),
        (["i3", "I3SOCK"], "~/.config/i3/config", "exec --no-startup-id "),
        (["hyprland", "HYPRLAND_INSTANCE_SIGNATURE"], "~/.config/hypr/hyprland.conf", "exec-once = "),
        (["niri", "NIRI_SOCKET"], "~/.config/niri/config.kdl", "spawn-at-startup "),
        (["river"], "~/.config/river/init", ""), (["labwc"], "~/.config/labwc/autostart", ""),
        (["openbox"], "~/.config/openbox/autostart", ""), (["bspwm"], "~/.config/bspwm/bspwmrc", ""),
        (
            ["gnome", "kde", "xfce", "x-cinnamon", "mate", "lxqt", "budgie"], "~/.config/autostart/display.desktop",
            "the lines '[Desktop Entry]', 'Type=Application', 'Name=Display' and Exec="
        ),
    ]

    /// The advice to run the command at the start of each session.
    static var advice: String {
        let desktops = (variable("XDG_CURRENT_DESKTOP") ?? "").lowercased().split(separator: ":").map(String.init)
        let place = places.first { $0.names.contains { desktops.contains($0) || variable($0) != nil } }
        guard let place else {
            return variable("WAYLAND_DISPLAY") == nil
                ? "in ~/.xinitrc, before the window manager: \(command)"
                : "in the file that your compositor runs at its start: \(command)"
        }
        let words = command.split(separator: " ").map { place.names[0] == "niri" ? "\"\($0)\"" : String($0) }
        return "in \(place.file): \(place.start)\(words.joined(separator: " "))"
    }
}

/// The commands of a shell that start a user's daemon by hand.
var daemonStart: [String] {
    let folder = variable("XDG_RUNTIME_DIR") ?? "/run/user/\(geteuid())"
    let own = "$HOME/.cache/run"
    // Without a folder for its socket, the daemon would not start.
    let needed = access(folder, W_OK) == 0 ? [] : ["mkdir -pm 700 \(own) && export XDG_RUNTIME_DIR=\(own)"]
    return needed + ["xcallbackd &"]
}

/// Returns the command that installs a Debian package; nil on a system without apt.
func installCommand(_ package: String) -> String? {
    access("/usr/bin/apt-get", X_OK) == 0 ? "apt-get install --yes \(package)" : nil
}

/// Returns what to do on other systems.
func installAdvice(_ package: String) -> String { "install the equivalent of Debian's \(package)" }
