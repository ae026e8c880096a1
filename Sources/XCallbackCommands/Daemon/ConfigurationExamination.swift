import Glibc
import Logging
import XCallback
import XCallbackBuiltIns
import XCallbackConfiguration
import XCallbackLinux

/// Which daemon is asked about a configuration.
enum AskedDaemon {
    /// None is.
    case nobody
    /// The one that has just answered at a socket.
    case answering(String)
    /// The one at the socket that the caller names, if it runs.
    case named(String)
    /// The one that would read the configuration, if it runs.
    case usual

    /// The socket that commands are told; without one, the usual.
    init(_ location: SocketOption) {
        let candidates = SocketLocation(option: location.socket).candidates
        self = candidates.count == 1 ? .named(candidates[0]) : .usual
    }
}

/// A configuration that is not served, as this process and the daemon that would read it see it.
struct ConfigurationExamination: Sendable {
    /// What was found.
    let findings: ConfigurationFindings
    /// Whether the daemon has looked.
    let isToldByDaemon: Bool
    /// Why a daemon that is there, or that the caller names, could not be asked; nil if it was asked, or if none is there.
    let refusal: String?

    /// Looks at a configuration.
    ///
    /// - Parameters:
    ///   - places: Where its files are.
    ///   - daemon: Which daemon is asked. None is started for that, and none is of help with faults that are known already.
    init(of places: ConfigurationPlaces, asking daemon: AskedDaemon) async {
        let check = ConfigurationCheck(reading: places, ownership: .rootOrUser(geteuid()))
        let own = check.findings(logger: .silent, checkedFor: ServiceUnit(reading: places))
        guard own.error == nil, let files = check.files, let socket = daemon.socket(for: places) else {
            self.init(findings: own, isToldByDaemon: false, refusal: nil)
            return
        }
        if daemon.startsForClients(at: socket) {
            self.init(
                findings: own, isToldByDaemon: false,
                refusal: daemon.isUsual ? nil : "it does not run, and a check does not start it")
            return
        }
        do {
            let client = Client(socket: socket)
            // One that hangs would hold this up for good; a check itself takes its time.
            _ = try await client.statusInTime()
            let reply = try await client.check(files)
            guard let told = ToldFindings(reply) else {
                throw ClientError(.incompatible, "the daemon's reply to Check is not understood")
            }
            self.init(findings: check.findings(toldBy: told, besides: own), isToldByDaemon: true, refusal: nil)
        } catch {
            self.init(findings: own, isToldByDaemon: false, refusal: daemon.refusal(error))
        }
    }

    private init(findings: ConfigurationFindings, isToldByDaemon: Bool, refusal: String?) {
        self.findings = findings
        self.isToldByDaemon = isToldByDaemon
        self.refusal = refusal
    }
}

extension AskedDaemon {
    fileprivate var isUsual: Bool { if case .usual = self { true } else { false } }

    /// Where it listens; nil if none is asked.
    fileprivate func socket(for places: ConfigurationPlaces) -> String? {
        switch self {
        case .nobody: nil
        case .answering(let socket), .named(let socket): socket
        case .usual:
            places.isOfSystem ?? (geteuid() == 0) ? SocketLocation.systemPath : SocketLocation.userPath()
        }
    }

    /// Whether to ask it would start it.
    fileprivate func startsForClients(at socket: String) -> Bool {
        if case .answering = self { return false }
        return ManagerScope(socket: socket)?.startsForClients ?? false
    }

    /// Why it could not be asked, in a line; nil if none is there where none has to be.
    fileprivate func refusal(_ error: any Error) -> String? {
        if isUsual, let error = error as? ClientError, !error.missing.isEmpty { return nil }
        return "\(error)".split(separator: "\n").joined(separator: "; ")
    }
}
