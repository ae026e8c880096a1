import Glibc
import XCallbackBuiltIns
import XCallbackClient
import XCallbackConfiguration
import XCallbackLinux

/// The findings in a configuration: those of the daemon that reads it, or of this process.
struct CheckedConfiguration: Sendable {
    /// The findings.
    let findings: ConfigurationFindings
    /// Whether they are the daemon's.
    let isOfDaemon: Bool
    /// Why an existing or named daemon was not asked; nil if it was asked, or if there is none.
    let refusal: String?

    /// Checks a configuration in this process.
    ///
    /// - Parameters:
    ///   - places: The locations of its files.
    ///   - refusal: Why the daemon was not asked; nil if there is none.
    init(of places: ConfigurationPlaces, refusal: String? = nil) {
        let findings = ConfigurationFindings(checking: places)
        self.init(findings, isOfDaemon: false, refusal: findings.error == nil ? refusal : nil)
    }

    private init(_ findings: ConfigurationFindings, isOfDaemon: Bool, refusal: String?) {
        self.findings = findings
        self.isOfDaemon = isOfDaemon
        self.refusal = refusal
    }

    /// Lets a daemon check the configuration that it would load.
    ///
    /// - Parameters:
    ///   - daemon: The daemon.
    ///   - places: The locations of the files that this process checks if the daemon does not.
    init(servedBy daemon: Client, or places: ConfigurationPlaces) async {
        do {
            let reply = try await ReplyWatch.wait("to check its configuration") { try await daemon.call("Check") }
            guard let findings = ConfigurationFindings(reply: reply) else {
                throw ClientError(.incompatible, "the daemon's reply to Check is invalid")
            }
            self.init(findings, isOfDaemon: true, refusal: nil)
        } catch {
            self.init(of: places, refusal: Self.line(error))
        }
    }

    /// Lets the daemon at a socket check its configuration if it runs; otherwise checks the default one.
    ///
    /// - Parameter location: The socket on the command line.
    init(servedAt location: SocketOption) async {
        let candidates = SocketLocation(option: location.socket).candidates
        let isNamed = candidates.count == 1
        let own = geteuid() == 0 ? SocketLocation.systemPath : SocketLocation.userPath()
        let socket = isNamed ? candidates[0] : own
        let places = ConfigurationPlaces(of: nil)
        if ManagerScope(socket: socket)?.startsForClients ?? false {
            self.init(of: places, refusal: isNamed ? "it does not run, and 'check' does not start it" : nil)
            return
        }
        let daemon = Client(socket: socket)
        do {
            // A daemon that hangs would block this for good; a check itself takes time.
            _ = try await daemon.statusInTime()
        } catch {
            let isAbsent = (error as? ClientError)?.missing.isEmpty == false
            self.init(of: places, refusal: isAbsent && !isNamed ? nil : Self.line(error))
            return
        }
        await self.init(servedBy: daemon, or: places)
    }

    /// The file that the daemon reads in place of the default one; nil if there is none.
    var otherFile: String? {
        guard isOfDaemon, let file = findings.file, !ConfigurationPlaces(of: nil).contains(file) else { return nil }
        return file
    }

    private static func line(_ error: any Error) -> String {
        "\(error)".split(separator: "\n").joined(separator: "; ")
    }
}
