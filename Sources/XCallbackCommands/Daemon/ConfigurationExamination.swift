import Glibc
import Logging
import XCallbackBuiltIns
import XCallbackClient
import XCallbackConfiguration
import XCallbackLinux

/// The daemon that is asked about a configuration.
enum AskedDaemon {
    /// No daemon.
    case nobody
    /// The daemon that has just answered at a socket.
    case answering(String)
    /// The daemon at the socket that the caller names, if it runs.
    case named(String)
    /// The daemon that would read the configuration, if it runs.
    case usual

    /// Creates the choice for the socket options of a command; without a socket, the usual daemon.
    init(_ location: SocketOption) {
        let candidates = SocketLocation(option: location.socket).candidates
        self = candidates.count == 1 ? .named(candidates[0]) : .usual
    }
}

/// A check of a configuration that is not served, both by this process and by the daemon that would read it.
struct ConfigurationExamination: Sendable {
    /// The findings.
    let findings: ConfigurationFindings
    /// Whether the daemon has checked it.
    let isToldByDaemon: Bool
    /// The reason why an existing or named daemon could not be asked; nil if it was asked, or if there is none.
    let refusal: String?
    /// The file that the daemon was started with, which was checked in place of the default one; nil if there is no such file,
    /// or if the caller names the configuration.
    let otherFile: String?
    /// Whether the daemon may read other files, because it does not report them.
    let isGuess: Bool

    /// Checks a configuration.
    ///
    /// - Parameters:
    ///   - places: The locations of its files.
    ///   - daemon: The daemon to ask, which is never started for that; it is not asked if this process has found faults.
    init(of places: ConfigurationPlaces, asking daemon: AskedDaemon) async {
        await self.init(of: places, daemon, await daemon.answer(for: places))
    }

    /// Checks the configuration that a daemon reads, or the default one if that cannot be determined.
    ///
    /// - Parameter daemon: The daemon to ask, which is never started for that.
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
                told = ToldFindings(
                    try await ReplyWatch.wait("to check the configuration") { try await client.check(files) })
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
    /// The result of asking a daemon.
    fileprivate struct Answer: Sendable {
        /// The client of the daemon that has answered; nil if none.
        var client: Client?
        /// The service in its status.
        var service: Client.Status.Service?
        /// The reason why it could not be asked; nil if it was, or if none is there and none is required.
        var refusal: String?
    }

    /// Requests the daemon's status, unless that would start it.
    fileprivate func answer(for places: ConfigurationPlaces) async -> Answer {
        guard let socket = socket(for: places) else { return Answer() }
        if startsForClients(at: socket) {
            return Answer(refusal: isUsual ? nil : "it does not run, and 'check' does not start it")
        }
        let client = Client(socket: socket)
        do {
            // A daemon that hangs would block this for good; a check itself takes time.
            return Answer(client: client, service: try await client.statusInTime().service)
        } catch {
            return Answer(refusal: refusal(error))
        }
    }

    fileprivate var isUsual: Bool { if case .usual = self { true } else { false } }

    /// The socket of the daemon; nil if none is asked.
    fileprivate func socket(for places: ConfigurationPlaces) -> String? {
        switch self {
        case .nobody: nil
        case .answering(let socket), .named(let socket): socket
        case .usual:
            places.isOfSystem ?? (geteuid() == 0) ? SocketLocation.systemPath : SocketLocation.userPath()
        }
    }

    /// Whether a connection would start the daemon.
    fileprivate func startsForClients(at socket: String) -> Bool {
        if case .answering = self { return false }
        return ManagerScope(socket: socket)?.startsForClients ?? false
    }

    /// The reason why the daemon could not be asked, in one line; nil if none is there and none is required.
    fileprivate func refusal(_ error: any Error) -> String? {
        if isUsual, let error = error as? ClientError, !error.missing.isEmpty { return nil }
        return "\(error)".split(separator: "\n").joined(separator: "; ")
    }
}
