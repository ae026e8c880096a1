import Glibc
package import XCallbackConfiguration
import XCallbackLinux

/// The service that reads a configuration, when the configuration is only checked here.
///
/// It runs as another user, and has credentials that no other process has. Its service manager is queried once, when
/// that user matters, or when the first secret is checked.
package final class ServiceUnit {
    /// A finding about a secret before the service reads it.
    enum Finding: Hashable {
        /// The service can read it; with the file that contains it, unless encrypted, or a socket that writes it.
        case readable(String?)
        /// The service cannot read it: the reason and the remedy, and the problem of a credential.
        case unreadable(String, Fault.Subject? = nil)
        /// It was not checked, with the reason.
        case unseen(String)
    }

    static let name = "xcallbackd.service"
    /// The directories in which the service manager searches credentials without a path.
    private static let stores = ["/etc", "/run", "/usr/local/lib", "/usr/lib"].flatMap { folder in
        ["\(folder)/credstore", "\(folder)/credstore.encrypted"]
    }
    /// The directories for credentials that were passed to the machine at boot.
    private static let machineStores = ["/run/credentials/@system", "/run/credentials/@encrypted"]

    /// Whether it is the system's service, rather than that of the calling user.
    let isSystem: Bool
    /// Whether the configuration is certainly that of the service: its files are at the service's locations.
    let isCertain: Bool
    /// The user ID of the running daemon; nil if none responds.
    private let runningUserID: UInt32?
    private let ask: ([String]) -> String?

    /// Creates the service of a configuration.
    ///
    /// - Parameters:
    ///   - places: The locations of the configuration.
    ///   - userID: The user ID of the running daemon; nil if none responds.
    package convenience init(reading places: ConfigurationPlaces, runningAs userID: UInt32? = nil) {
        self.init(
            isSystem: places.isOfSystem ?? (geteuid() == 0), isCertain: places.isOfSystem != nil, runningAs: userID
        ) { arguments in
            let run = ToolRun(asking: ["systemctl"] + arguments, atMost: 1 << 20)
            return run.ending == .exited(0) ? run.output : nil
        }
    }

    /// Creates a service.
    ///
    /// - Parameters:
    ///   - isSystem: Whether it is the system's service.
    ///   - isCertain: Whether it certainly reads the configuration.
    ///   - userID: The user ID of the running daemon; nil if none responds.
    ///   - ask: Runs `systemctl` with arguments; nil if that fails.
    package init(
        isSystem: Bool, isCertain: Bool, runningAs userID: UInt32? = nil, ask: @escaping ([String]) -> String?
    ) {
        self.isSystem = isSystem
        self.isCertain = isCertain
        runningUserID = userID
        self.ask = { ask((isSystem ? [] : ["--user"]) + $0) }
    }

    /// The service manager's description of the service; nil without such a unit, or without a manager.
    private lazy var unit: ManagedUnit? = {
        let names = ["LoadState", "ActiveState"] + ServiceAccount.keys
        let output = ask(["show", "--property=\(names.joined(separator: ","))", Self.name])
        return output.flatMap { ManagedUnit.all(in: $0).first }.flatMap { $0.isLoaded ? $0 : nil }
    }()

    /// The user and the groups of the system's service; nil if unknown, or if they are those of the caller.
    private(set) lazy var account: ServiceAccount? = isSystem ? unit.flatMap(ServiceAccount.init) : nil

    /// The required owners of the files: root, or the daemon's user, which may be unknown to root.
    package var ownership: FileOwnership {
        guard isSystem else { return .rootOrUser(geteuid()) }
        if let known = runningUserID ?? account?.rights.userID { return .rootOrUser(known) }
        return geteuid() == 0 ? .rootOrUnknownUser : .rootOrUser(geteuid())
    }

    /// The name of the group whose members can connect to the system's service.
    private lazy var socketGroup: String? = {
        guard isSystem else { return nil }
        let output = ask(["show", "--property=SocketGroup", "--value", "xcallbackd.socket"])
        return output?.split(separator: "\n").first.map(String.init)
    }()

    /// The credentials that the unit loads; nil if unknown.
    private lazy var credentials: UnitCredentials? =
        unit == nil ? nil : ask(["cat", "--no-pager", Self.name]).map { UnitCredentials(unit: $0) }

    /// The service's search path for programs; nil if unknown.
    ///
    /// The path comes from the manager's environment: a unit hardly ever sets another one.
    private(set) lazy var programPath: String? = {
        guard isCertain, unit != nil else { return nil }
        let lines = ask(["show-environment"])?.split(separator: "\n") ?? []
        return lines.first { $0.hasPrefix("PATH=") }.map { String($0.dropFirst(5)) }
    }()

    /// Whether the caller can lack rights that the service has.
    var isOfAnotherUser: Bool { isSystem && isCertain && geteuid() != 0 && account?.rights.userID != geteuid() }

    /// Returns whether the service can read a file that the caller can read.
    func finding(ofFile path: String) -> Finding {
        guard let account, let error = account.rights.failure(reading: path) else { return .readable(path) }
        return .unreadable(
            "the user '\(account.name)' of \(Self.name) cannot read the secret: \(error); \(Self.advice(for: path))")
    }

    /// Returns a message about others who can read a secret and connect; nil if there are none as far as known.
    func disclosure(of file: SmallFile, at path: String) -> String? {
        guard file.mode & 0o040 != 0, let name = socketGroup, UserDatabase.groupID(named: name) == file.groupID else {
            return nil
        }
        return "the members of the group '\(name)' can read the secret, and may connect: \(Self.advice(for: path))"
    }

    /// Returns advice on how to give the service a secret that other users cannot read.
    private static func advice(for path: String) -> String {
        let name = path[(path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex)...]
        return "use 'token: { credential: \(name) }' with 'LoadCredential=\(name):\(path)' below [Service] in "
            + "'systemctl edit \(Self.name)'"
    }

    /// Returns whether the service has a credential.
    func finding(ofCredential name: String) -> Finding {
        guard let credentials else {
            let manager = isSystem ? "service manager" : "service manager of this user"
            return .unseen("credential \(name.quoted), because no \(manager) here knows \(Self.name)")
        }
        let isSet = credentials.set.contains(name)
        switch credentials[name] {
        case .text: return .readable(nil)
        case .path(let path, let isEncrypted):
            return finding(of: name, from: path, isEncrypted: isEncrypted, isSet: isSet)
        case .stored(let file): return finding(of: name, storedAs: file, isSet: isSet)
        case nil:
            if credentials.imports.contains(where: { fnmatch($0, name, 0) == 0 }) {
                return finding(of: name, storedAs: name, isSet: isSet)
            }
            if credentials.hasOtherNames {
                return .unseen("credential \(name.quoted), because \(Self.name) gives names by itself")
            }
            return .unreadable(
                "\(Self.name) does not load the credential \(name.quoted): add 'LoadCredential=\(name):PATH' below "
                    + "[Service] with '\(systemctl) edit \(Self.name)', and restart it",
                .credential(name, .notLoaded))
        }
    }

    /// Returns a warning that the running service does not have the credential yet; nil if it has it, or if unknown.
    func oddity(ofCredential name: String) -> String? {
        guard isCertain, unit?.isActive == true else { return nil }
        let own = variable("XDG_RUNTIME_DIR") ?? "/run/user/\(geteuid())"
        let runtime = isSystem ? "/run" : own
        guard access("\(runtime)/credentials/\(Self.name)/\(name)", F_OK) < 0, errno == ENOENT else { return nil }
        return "the running service does not have the credential \(name.quoted) yet, and a reload does not load it: "
            + "run '\(systemctl) restart \(Self.name)'"
    }

    private var systemctl: String { isSystem ? "systemctl" : "systemctl --user" }

    private func finding(of name: String, from path: String, isEncrypted: Bool, isSet: Bool) -> Finding {
        if access(path, F_OK) == 0 {
            return .readable(isEncrypted ? nil : path)
        }
        let code = errno
        guard code == ENOENT || code == ENOTDIR else {
            return .unseen(
                "credential \(name.quoted), because uid \(geteuid()) cannot look at \(path.quoted)")
        }
        return isSet
            ? .readable(nil)
            : .unreadable(
                "\(Self.name) loads the credential \(name.quoted) from \(path.quoted), which does not exist",
                .credential(name, .noFile(path)))
    }

    private func finding(of name: String, storedAs file: String, isSet: Bool) -> Finding {
        let stores = Self.stores + (isSystem ? Self.machineStores : [])
        var isHidden = !isSystem
        for store in stores {
            if access("\(store)/\(file)", F_OK) == 0 {
                return .readable(store.hasSuffix("encrypted") ? nil : "\(store)/\(file)")
            }
            if errno == EACCES { isHidden = true }
        }
        if isSet { return .readable(nil) }
        return isHidden
            ? .unseen(
                "credential \(name.quoted), because uid \(geteuid()) cannot see all credential stores")
            : .unreadable(
                "\(Self.name) takes the credential \(name.quoted) from the credential stores, which do not have it: "
                    + "put it at '/etc/credstore/\(file)'")
    }
}
