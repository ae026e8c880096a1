import Glibc
import Logging
import XCallbackBuiltIns
import XCallbackClient
import XCallbackConfiguration
import XCallbackJSON
import XCallbackLinux
import XCallbackPipeline

/// What all checks start from: the daemon that commands reach, its units and its configuration.
struct Examination: Sendable {
    /// Whether the caller names the socket.
    let isNamed: Bool
    /// Where the daemon is looked for.
    let candidates: [String]
    /// The socket to which commands connect; without a daemon, the one that should be there.
    let socket: String
    /// Whose manager has the daemon; nil if none does.
    let scope: ManagerScope?
    /// The daemon's unit and that of its socket; nil if no manager can be asked.
    let units: (service: ManagedUnit, socket: ManagedUnit)?
    /// What the daemon says of itself, or why it does not; nil if it was not asked.
    let status: Result<Client.Status, any Error>?
    /// The folder of another user whose daemon it is, and that user; nil if the daemon is the caller's, root's or the
    /// machine's, or if that cannot be determined.
    let foreignFolder: (path: String, userID: UInt32)?
    /// The routes that the daemon serves; nil if it does not say so.
    let routes: [Client.Route]?
    /// The files in which those routes stand.
    let servedFiles: ServedFiles
    /// Where its configuration is, or what the caller names in its place.
    let places: ConfigurationPlaces
    /// Whether the caller names it.
    let isConfigurationNamed: Bool
    /// What names its configuration to other commands; empty if they find it by themselves.
    let configOption: String
    /// What was found in its configuration.
    let checked: ConfigurationExamination
    /// Its configuration as this process decodes it; nil if it has faults.
    let configuration: RouterConfiguration?
    /// The schemes that the daemon answers, the one of its own answers included; nil if that is not known.
    let schemes: [String]?
    /// What the tools of the desktop say of each; empty for the daemon of the machine.
    let owners: [SchemeOwner]

    /// Looks at what all checks need.
    ///
    /// - Parameters:
    ///   - option: The socket that the command line names.
    ///   - config: The configuration that it names.
    init(socket option: String?, config: String?) async {
        candidates = SocketLocation(option: option).candidates
        isNamed = candidates.count == 1
        let advised = SocketLocation.startAdvice(for: candidates).scope ?? (geteuid() == 0 ? .system : .user)
        socket = isNamed ? candidates[0] : candidates.first { access($0, F_OK) == 0 } ?? advised.socket
        scope = ManagerScope(socket: socket)
        var units = Self.units(of: scope)
        // A client that connects to the socket of a unit that cannot start makes the socket's unit fail, too.
        if let units, units.socket.isActive, units.service.isStopped, units.service.isMasked || units.service.isAtLimit
        {
            status = nil
            routes = nil
        } else {
            let client = Client(socket: socket)
            do { status = .success(try await client.statusInTime()) } catch { status = .failure(error) }
            // The manager may have started the daemon for this client, or tried to.
            let process = (try? status?.get())?.service.processID
            if process != units?.service.process { units = Self.units(of: scope) }
            if case .success = status { routes = try? await client.routes() } else { routes = nil }
        }
        self.units = units
        foreignFolder = scope == .system || (try? status?.get()) != nil ? nil : Self.foreignFolder(of: socket)
        servedFiles = ServedFiles(of: routes ?? [], process: (try? status?.get())?.service.processID)
        let places = Self.places(config, scope, servedFiles)
        self.places = places
        isConfigurationNamed = config != nil
        configOption = places == ConfigurationPlaces(of: nil) ? "" : " --config \(places.candidates[0].shellWord)"
        let daemon: AskedDaemon = if case .success = status { .answering(socket) } else { .nobody }
        checked = await ConfigurationExamination(of: places, asking: daemon)
        configuration = checked.findings.error == nil ? try? RouterConfiguration(reading: places) : nil
        schemes =
            configuration.map { SchemeNames.all(in: $0) }
            ?? routes.map { Set($0.map(\.scheme)).union([CallbackRules.answerScheme]).sorted() }
        owners = Self.isOfMachine(scope) ? [] : (schemes ?? []).map { SchemeOwner(asking: $0) }
    }

    private static func units(of scope: ManagerScope?) -> (service: ManagedUnit, socket: ManagedUnit)? {
        scope?.units([ManagerScope.serviceUnit, ManagerScope.socketUnit]).map { ($0[0], $0[1]) }
    }

    private static func foreignFolder(of socket: String) -> (path: String, userID: UInt32)? {
        var status = stat()
        // Without a daemon, only the folder above may exist: the user's runtime directory.
        let folders: [String] = [socket.parent, socket.parent.parent]
        guard let path = folders.first(where: { stat($0, &status) == 0 }), status.st_uid != 0,
            status.st_uid != geteuid()
        else { return nil }
        return (path, status.st_uid)
    }

    /// Whether the daemon is the machine's, which has no desktop: its administrator asks.
    var isOfMachine: Bool { Self.isOfMachine(scope) }

    private static func isOfMachine(_ scope: ManagerScope?) -> Bool { scope == .system && geteuid() == 0 }

    /// The daemon that has answered; nil if none has.
    var daemon: Client.Status.Service? { (try? status?.get())?.service }

    /// Whether the manager has started the daemon that has answered.
    var isOfUnit: Bool {
        guard let daemon, let units else { return false }
        return units.service.process == daemon.processID
    }

    /// Whether what was looked at is what the daemon reads, as far as that can be told.
    var isConfigurationOfDaemon: Bool {
        if !servedFiles.paths.isEmpty { return servedFiles.paths.contains { places.contains($0) } }
        // A daemon of another user does not say where its routes stand.
        return !isConfigurationNamed && (scope == .system || !servedFiles.areHidden)
    }

    /// The command that lets the daemon read its configuration.
    var reload: Finding.Mend {
        if let scope, isOfUnit {
            return Finding.Mend("\(scope.systemctl) reload \(ManagerScope.serviceUnit)", in: scope)
        }
        let isOwn = geteuid() == 0 || daemon?.userID == geteuid()
        return Finding.Mend(command: "xcallback reload --socket \(socket.shellWord)", needsRoot: !isOwn)
    }

    /// The configuration that the daemon reads, as far as that can be told.
    private static func places(
        _ config: String?, _ scope: ManagerScope?, _ files: ServedFiles
    ) -> ConfigurationPlaces {
        if let config { return ConfigurationPlaces(of: config) }
        if scope == .system { return ConfigurationPlaces(ofSystemBelow: "") }
        let own = ConfigurationPlaces(of: nil)
        // A daemon that was started by hand may read another file: its routes say so.
        return files.file(besides: own).map { ConfigurationPlaces(file: $0) } ?? own
    }
}

extension String {
    /// The folder of a path.
    fileprivate var parent: String {
        lastIndex(of: "/").map { $0 == startIndex ? "/" : String(self[..<$0]) } ?? "."
    }
}
