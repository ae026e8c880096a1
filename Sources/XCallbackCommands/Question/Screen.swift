import Glibc
import XCallbackLinux

/// The user's screen, as far as programs can reach it.
package struct Screen {
    private let environment: (String) -> String?

    /// Creates the screen that an environment leads to.
    ///
    /// - Parameter environment: Looks a variable of the environment up.
    package init(environment: @escaping (String) -> String?) {
        self.environment = environment
    }

    /// The screen of this process.
    static var current: Screen { Screen(environment: variable) }

    /// Whether a display accepts connections.
    ///
    /// A program that shows a dialog may end without one in the same way as it does when the user says no.
    package var isReachable: Bool {
        if let name = environment("WAYLAND_DISPLAY") {
            let folder = name.hasPrefix("/") ? "" : environment("XDG_RUNTIME_DIR").map { "\($0)/" } ?? "/"
            if Self.accepts("\(folder)\(name)") { return true }
        }
        guard let display = environment("DISPLAY"), let colon = display.lastIndex(of: ":") else { return false }
        // The display of another machine is left to the programs.
        guard ["", "unix"].contains(display[..<colon]) else { return true }
        let number = display[display.index(after: colon)...].prefix { $0 != "." }
        guard let number = UInt16(number) else { return false }
        let path = "/tmp/.X11-unix/X\(number)"
        return Self.accepts(path) || Self.accepts("\0\(path)")
    }

    /// Whether something accepts connections at a socket; the name of an abstract one begins with a NUL.
    private static func accepts(_ path: String) -> Bool {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        guard path.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else { return false }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let type = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
        let socket = Glibc.socket(AF_UNIX, Int32(type), 0)
        guard socket >= 0 else { return false }
        defer { close(socket) }
        // The name of an abstract socket ends with the address; that of a file may be followed by NULs.
        let size = (MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 0) + path.utf8.count
        let result = withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(socket, $0, socklen_t(size)) }
        }
        // A server that has much to do has a full queue.
        return result == 0 || errno == EAGAIN
    }
}

/// What shows notifications on the user's desktop.
package struct NotificationServer {
    /// How long it may take to tell what it can; the desktop may have to start it.
    private static let patience = Duration.seconds(5)

    /// Whether a notification can have buttons.
    package let hasButtons: Bool
    /// Whether it reads some elements of HTML in the text.
    package let readsMarkup: Bool

    /// Takes what a server tells of itself: a list of words in quotes.
    package init(capabilities: String) {
        let words = capabilities.split { !($0.isLetter || $0 == "-") }
        hasButtons = words.contains("actions")
        readsMarkup = words.contains("body-markup")
    }

    /// Asks the server of the session; nil if there is none.
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
