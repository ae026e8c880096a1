import Glibc
import Logging
import XCallbackBuiltIns
import XCallbackClient
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
    /// The file that the daemon was started with, which was looked at in place of what it finds by itself; nil if there
    /// is none, or if the caller names the configuration.
    let otherFile: String?
    /// Whether the daemon may read other files, because it does not tell which.
    let isGuess: Bool

    /// Looks at a configuration.
    ///
    /// - Parameters:
    ///   - places: Where its files are.
    ///   - daemon: Which daemon is asked. None is started for that, and none is of help with faults that are known already.
    init(of places: ConfigurationPlaces, asking daemon: AskedDaemon) async {
        await self.init(of: places, daemon, await daemon.answer(for: places))
    }

    /// Looks at the configuration that a daemon reads; if that cannot be told, at what it would find by itself.
    ///
    /// - Parameter daemon: Which daemon is asked. None is started for that.
    init(servedBy daemon: AskedDaemon) async {
        let usual = ConfigurationPlaces(of: nil)
        let answer = await daemon.answer(for: usual)
        var served: ServedFiles?
        if let routes = try? await answer.client?.routes() {
            served = ServedFiles(of: routes, process: answer.service?.processID)
        }
        let otherFile = served?.file(besides: usual)
        await self.init(
            of: otherFile.map { ConfigurationPlaces(file: $0) } ?? usual, daemon, answer, otherFile: otherFile,
            isGuess: served?.areHidden ?? false)
    }

    private init(
        of places: ConfigurationPlaces, _ daemon: AskedDaemon, _ answer: AskedDaemon.Answer, otherFile: String? = nil,
        isGuess: Bool = false
    ) async {
        let service = ServiceUnit(reading: places, runningAs: answer.service?.userID)
        let check = ConfigurationCheck(reading: places, ownership: service.ownership)
        let own = check.findings(logger: .silent, checkedFor: service)
        var (told, refusal) = (ToldFindings?.none, answer.refusal)
        if own.error == nil, let files = check.files, let client = answer.client {
            do {
                told = ToldFindings(try await client.check(files))
                if told == nil { throw ClientError(.incompatible, "the daemon's reply to Check is invalid") }
            } catch {
                refusal = daemon.refusal(error)
            }
        }
        findings = told.map { check.findings(toldBy: $0, besides: own) } ?? own
        isToldByDaemon = told != nil
        self.refusal = own.error == nil ? refusal : nil
        self.otherFile = otherFile
        self.isGuess = isGuess
    }
}

extension AskedDaemon {
    /// What has come of asking.
    fileprivate struct Answer: Sendable {
        /// What asks the daemon that has answered; nil if none has.
        var client: Client?
        /// What it says of itself.
        var service: Client.Status.Service?
        /// Why it could not be asked; nil if it was, or if none is there where none has to be.
        var refusal: String?
    }

    /// Asks the daemon how it does, unless that would start it.
    fileprivate func answer(for places: ConfigurationPlaces) async -> Answer {
        guard let socket = socket(for: places) else { return Answer() }
        if startsForClients(at: socket) {
            return Answer(refusal: isUsual ? nil : "it does not run, and 'check' does not start it")
        }
        let client = Client(socket: socket)
        do {
            // One that hangs would hold this up for good; a check itself takes its time.
            return Answer(client: client, service: try await client.statusInTime().service)
        } catch {
            return Answer(refusal: refusal(error))
        }
    }

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
