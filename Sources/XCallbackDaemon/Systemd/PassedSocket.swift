import CSystemd
import Glibc

/// A listening socket that another process has passed to this one at its start (sd_listen_fds(3)).
package struct PassedSocket: Hashable, Sendable {
    /// The descriptor, which child processes do not inherit.
    package let descriptor: Int32
    /// The name, from `FileDescriptorName=` of the socket unit.
    package let name: String

    package init(descriptor: Int32, name: String) {
        self.descriptor = descriptor
        self.name = name
    }

    /// Takes all passed sockets, and removes the variables that announce them from the environment.
    ///
    /// Call it before other threads exist, because it changes the environment.
    ///
    /// - Returns: The sockets, in the order in which they were passed; empty without `LISTEN_FDS` and `LISTEN_PID`.
    /// - Throws: ``PassedSocketError/unreadable(_:)`` if the variables are invalid.
    package static func takeAll() throws(PassedSocketError) -> [PassedSocket] {
        var names: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
        let count = sd_listen_fds_with_names(1, &names)
        guard count >= 0 else { throw .unreadable(-count) }
        defer {
            for index in 0..<Int(count) { free(names?[index]) }
            free(names)
        }
        return (0..<count).map { index in
            let name = names?[Int(index)].map { String(cString: $0) }
            return PassedSocket(descriptor: firstDescriptor + index, name: name ?? noName)
        }
    }

    /// The name in libsystemd of a socket that was passed without one.
    private static let noName = "unknown"

    /// Returns the passed sockets by name; a single one without a name has the most common name.
    ///
    /// - Parameters:
    ///   - sockets: The sockets.
    ///   - names: The allowed names, the most common one first.
    /// - Returns: The sockets, at most one per name.
    /// - Throws: ``PassedSocketError`` if there are others, or if a socket is not a listening Unix socket.
    package static func byName(
        _ sockets: [PassedSocket], among names: [String]
    ) throws(PassedSocketError) -> [String: PassedSocket] {
        var sockets = sockets
        if sockets.count == 1, sockets[0].name == noName {
            sockets[0] = PassedSocket(descriptor: sockets[0].descriptor, name: names[0])
        }
        if let other = sockets.first(where: { !names.contains($0.name) }) {
            throw .unknown(other.name, expected: names[0])
        }
        var chosen: [String: PassedSocket] = [:]
        for socket in sockets {
            chosen[socket.name] = socket
            let count = sockets.count { $0.name == socket.name }
            if count > 1 { throw .several(socket.name, count: count) }
            guard sd_is_socket_unix(socket.descriptor, Int32(SOCK_STREAM.rawValue), 1, nil, 0) > 0 else {
                throw .unsuitable(socket.name)
            }
        }
        return chosen
    }

    /// Whether the descriptor is a connection over a Unix socket.
    package var isConnection: Bool { sd_is_socket_unix(descriptor, Int32(SOCK_STREAM.rawValue), 0, nil, 0) > 0 }

    /// Whether clients wait to be accepted.
    package var hasClients: Bool {
        var members = [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)]
        return poll(&members, 1, 0) > 0
    }

    /// The path that the socket is bound to; an abstract name starts with `@`.
    package var path: String {
        var address = sockaddr_un()
        var length = socklen_t(MemoryLayout<sockaddr_un>.size)
        let result = withUnsafeMutablePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        let count = Int(length) - MemoryLayout<sa_family_t>.size
        guard result == 0, count > 0 else { return "" }
        return withUnsafeBytes(of: &address.sun_path) { bytes in
            let isAbstract = bytes[0] == 0
            let name = isAbstract ? bytes[1..<min(count, bytes.count)] : bytes.prefix { $0 != 0 }
            return (isAbstract ? "@" : "") + String(decoding: name, as: UTF8.self)
        }
    }

    /// `SD_LISTEN_FDS_START`, a macro that Swift does not import.
    private static let firstDescriptor: Int32 = 3
}

/// The reason why the passed sockets cannot be used.
package enum PassedSocketError: Error, Hashable, Sendable {
    /// The variables are invalid; the `errno` of libsystemd.
    case unreadable(Int32)
    /// A socket has a name that is not expected.
    case unknown(String, expected: String)
    /// Several sockets have the name.
    case several(String, count: Int)
    /// The socket with the name is not a listening Unix stream socket.
    case unsuitable(String)
    /// A command-line option names another path.
    case unwanted(PassedSocket, option: String, path: String)
}

extension PassedSocketError: CustomStringConvertible {
    /// The sockets that were passed, those that were expected, and the remedy.
    package var description: String {
        switch self {
        case .unreadable(let code):
            "LISTEN_FDS and LISTEN_PID are invalid: \(String(cString: strerror(code)))"
        case .unknown(let name, let expected):
            "a socket named '\(name)' was passed, expected '\(expected)': set FileDescriptorName=\(expected) in the "
                + "socket unit, or call systemd-socket-activate with --fdname=\(expected)"
        case .several(let name, let count):
            "\(count) sockets named '\(name)' were passed, expected one: keep one ListenStream= in the socket unit"
        case .unsuitable(let name):
            "the socket '\(name)' that was passed is not a listening Unix stream socket: set ListenStream= to a path, "
                + "and Accept=no, in the socket unit"
        case .unwanted(let socket, let option, let path):
            "the socket '\(socket.name)' at '\(socket.path)' was passed, and \(option) names '\(path)': leave one of "
                + "them out"
        }
    }
}
