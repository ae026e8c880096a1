import CLinux
import Glibc
package import XCallbackLinux

/// What is at the path of a listening socket.
package enum SocketPlace: Sendable {
    /// The socket.
    case present
    /// Nothing.
    case gone
    /// Another file.
    case taken
}

/// Watches the folder of a listening socket, because clients cannot connect without its file (inotify(7)).
///
/// It reads the kernel's events in turns of the loop, and checks the file only when an event names it.
final class SocketWatch: LoopGuest {
    /// A file is created, removed or replaced, or the folder itself moves.
    private static let events = IN_CREATE | IN_DELETE | IN_MOVE | IN_MOVE_SELF | IN_DELETE_SELF | IN_ONLYDIR
    /// Room for many events, and for one with the longest name.
    private static let bufferSize = 4096

    private let path: String
    private let name: [UInt8]
    private let identity: SocketIdentity?
    private let descriptor: Descriptor
    private let report: (SocketPlace) -> Void
    private var place = SocketPlace.present

    /// Starts to watch.
    ///
    /// - Parameters:
    ///   - path: The path of the socket.
    ///   - identity: The identity of the socket file; nil if it is already gone.
    ///   - report: Called on the loop with each change.
    /// - Throws: ``SystemError`` if the system is out of watches or descriptors, or the folder cannot be read.
    fileprivate init(
        _ path: String, _ identity: SocketIdentity?, report: @escaping (SocketPlace) -> Void
    ) throws(SystemError) {
        let slash = path.lastIndex(of: "/")
        let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        name = Array(path[(slash.map { path.index(after: $0) } ?? path.startIndex)...].utf8)
        let descriptor = Descriptor(
            try SystemError.check("inotify_init1") { xcb_watch(Int32(IN_NONBLOCK | IN_CLOEXEC)) })
        _ = try SystemError.check("inotify_add_watch '\(folder)'") {
            xcb_watch_add(descriptor.number, folder, UInt32(Self.events))
        }
        self.descriptor = descriptor
        self.path = path
        self.identity = identity
        self.report = report
    }

    fileprivate var number: Int32 { descriptor.number }

    func proceed(on loop: isolated EventLoop) {
        var bytes = [UInt8](repeating: 0, count: Self.bufferSize)
        // One read per turn, so that a busy folder does not take time from clients.
        let count = xcb_read(descriptor.number, &bytes, bytes.count)
        if count > 0, concernsSocket(bytes[..<count]) { look() }
    }

    /// Checks what is at the path, and reports a change.
    fileprivate func look() {
        guard let place = currentPlace, place != self.place else { return }
        self.place = place
        report(place)
    }

    /// What is at the path; nil if the file cannot be checked.
    private var currentPlace: SocketPlace? {
        do throws(SystemError) {
            return try SocketIdentity(ofFile: path) == identity ? .present : .taken
        } catch {
            return error.code == ENOENT || error.code == ENOTDIR ? .gone : nil
        }
    }

    /// Whether an event names the socket, or concerns the folder itself.
    private func concernsSocket(_ events: ArraySlice<UInt8>) -> Bool {
        var rest = events
        while rest.count >= MemoryLayout<inotify_event>.size {
            let event = rest.withUnsafeBytes { $0.loadUnaligned(as: inotify_event.self) }
            rest = rest.dropFirst(MemoryLayout<inotify_event>.size)
            let name = rest.prefix(Int(event.len)).prefix { $0 != 0 }
            if name.isEmpty || name.elementsEqual(self.name) { return true }
            rest = rest.dropFirst(Int(event.len))
        }
        return false
    }
}

extension EventLoop {
    /// Reports from now on when the socket file is gone or replaced, and when it is back.
    ///
    /// An abstract socket has no file, and is not watched.
    ///
    /// - Parameters:
    ///   - kind: The class of account toward which the socket's connections count.
    ///   - report: Called on the loop with each change, and at the start if the file is already gone.
    /// - Throws: ``SystemError`` if the system is out of watches or descriptors, or the folder cannot be read.
    package func watchSocket(
        for kind: AccountClass, report: @escaping (SocketPlace) -> Void
    ) throws(SystemError) {
        for listener in listeners where listener.accountClass == kind {
            if listener.path.isEmpty || listener.path.hasPrefix("@") { continue }
            let watch = try SocketWatch(listener.path, listener.identity, report: report)
            try add(watch, watch.number)
            watch.look()
        }
    }
}
