import Glibc
import XCallbackLinux

/// The user's screen, as far as programs can connect to it.
package struct Screen {
    private let environment: (String) -> String?

    /// Creates the screen that an environment names.
    ///
    /// - Parameter environment: Returns an environment variable.
    package init(environment: @escaping (String) -> String?) {
        self.environment = environment
    }

    /// The screen of this process.
    static var current: Screen { Screen(environment: variable) }

    /// Whether a display accepts connections.
    ///
    /// Without a display, a dialog program may end in the same way as after a No.
    package var isReachable: Bool {
        if let name = environment("WAYLAND_DISPLAY") {
            let folder = name.hasPrefix("/") ? "" : environment("XDG_RUNTIME_DIR").map { "\($0)/" } ?? "/"
            if Self.accepts("\(folder)\(name)") { return true }
        }
        guard let display = environment("DISPLAY"), let colon = display.lastIndex(of: ":") else { return false }
        // The programs check the display of another machine.
        guard ["", "unix"].contains(display[..<colon]) else { return true }
        let number = display[display.index(after: colon)...].prefix { $0 != "." }
        guard let number = UInt16(number) else { return false }
        let path = "/tmp/.X11-unix/X\(number)"
        return Self.accepts(path) || Self.accepts("\0\(path)")
    }

    /// Whether a socket accepts connections; the name of an abstract one begins with a NUL.
    private static func accepts(_ path: String) -> Bool {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        guard path.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else { return false }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let type = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
        let socket = Glibc.socket(AF_UNIX, Int32(type), 0)
        guard socket >= 0 else { return false }
        defer { close(socket) }
        // The name of an abstract socket ends with the address; a file name may be followed by NULs.
        let size = (MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 0) + path.utf8.count
        let result = withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(socket, $0, socklen_t(size)) }
        }
        // The queue of a busy server is full.
        return result == 0 || errno == EAGAIN
    }
}

/// The notification server of the user's desktop.
package struct NotificationServer {
    /// The timeout of its capabilities, because the desktop may have to start it.
    private static let patience = Duration.seconds(5)

    /// Whether notifications can have buttons.
    package let hasButtons: Bool
    /// Whether it interprets some HTML elements in the text.
    package let readsMarkup: Bool

    /// Parses the capabilities of a server: a list of quoted words.
    package init(capabilities: String) {
        let words = capabilities.split { !($0.isLetter || $0 == "-") }
        hasButtons = words.contains("actions")
        readsMarkup = words.contains("body-markup")
    }

    /// Calls the server of the session; nil if there is none.
    static func ask() -> NotificationServer? {
        let name = "org.freedesktop.Notifications"
        let path = "/org/freedesktop/Notifications"
        let calls = [
            ["busctl", "--user", "call", name, path, name, "GetCapabilities"],
            [
                "gdbus", "call", "--session", "--dest", name, "--object-path", path, "--method",
                "\(name).GetCapabilities",
            ],
        ]
        for call in calls where ToolRun.isInstalled(call[0]) {
            let run = ToolRun(asking: call, limit: patience)
            if run.ending == .exited(0) { return NotificationServer(capabilities: run.output) }
        }
        return nil
    }
}
