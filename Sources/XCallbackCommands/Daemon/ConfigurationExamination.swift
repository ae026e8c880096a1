import Glibc
import Logging
import XCallback
import XCallbackBuiltIns
import XCallbackConfiguration

/// A configuration that is not served, as this process and the daemon that would read it see it.
struct ConfigurationExamination: Sendable {
    /// What was found.
    let findings: ConfigurationFindings
    /// Whether the daemon has looked.
    let isToldByDaemon: Bool
    /// Why a daemon that is there could not be asked; nil if it was asked, or if none is there.
    let refusal: String?

    /// Looks at a configuration.
    ///
    /// - Parameters:
    ///   - places: Where its files are.
    ///   - socket: The daemon's, if the caller names it. Then it is asked even if that starts it.
    init(of places: ConfigurationPlaces, socket: String?) async {
        let check = ConfigurationCheck(reading: places, ownership: .rootOrUser(geteuid()))
        let service = ServiceUnit(reading: places)
        let own = check.findings(logger: .silent, checkedFor: service)
        // To ask a daemon that does not run would start it, and it is no help with faults that are known already.
        guard own.error == nil, socket != nil || !service.isStopped, let files = check.files else {
            self.init(findings: own, isToldByDaemon: false, refusal: nil)
            return
        }
        do {
            let reply = try await Self.daemon(of: places, socket).check(files)
            guard let told = ToldFindings(reply) else {
                throw ClientError(.incompatible, "the daemon's reply to Check is not understood")
            }
            self.init(findings: check.findings(toldBy: told, besides: own), isToldByDaemon: true, refusal: nil)
        } catch {
            self.init(findings: own, isToldByDaemon: false, refusal: Self.refusal(error))
        }
    }

    private init(findings: ConfigurationFindings, isToldByDaemon: Bool, refusal: String?) {
        self.findings = findings
        self.isToldByDaemon = isToldByDaemon
        self.refusal = refusal
    }

    private static func daemon(of places: ConfigurationPlaces, _ socket: String?) -> Client {
        let isOfSystem = places.isOfSystem ?? (geteuid() == 0)
        let usual = isOfSystem ? SocketLocation.systemPath : SocketLocation.userPath()
        let named = SocketLocation(option: socket).candidates
        return Client(socket: named.count == 1 ? named[0] : usual)
    }

    private static func refusal(_ error: any Error) -> String? {
        if let error = error as? ClientError, case .unreachable = error.reason { return nil }
        return "\(error)"
    }
}
