import Glibc
package import Logging
import XCallbackBuiltIns
package import XCallbackConfiguration
import XCallbackLinux
package import XCallbackPrograms
import XCallbackSystemd
import XCallbackURL

extension ProgramServer {
    /// Creates a server for the programs of a configuration; each call reads the configuration again.
    ///
    /// - Parameters:
    ///   - locations: The locations of the configuration and the router's socket.
    ///   - ownership: The required owner of the configuration.
    ///   - callerID: The user who may call, in addition to root.
    ///   - logger: Logs rejected calls.
    ///   - report: Reports all faults of the configuration to people.
    package convenience init(
        _ locations: Locations, ownership: FileOwnership, callerID: UInt32, logger: Logger,
        report: @escaping @Sendable (ConfigurationError) -> Void
    ) {
        // Set by xcallbackd-run@.service: sd_pid_get_unit(3) would need to see process 1, which ProtectProc= hides.
        let unit = variable("XCALLBACK_UNIT")
        self.init(
            callerID: callerID, unit: unit, logger: logger,
            keepUnit: { try ServiceManager().extendTimeout(by: .seconds(315_360_000)) }
        ) { call throws(ProgramServerRefusal) in
            let configuration: RouterConfiguration
            do throws(ConfigurationError) {
                configuration = try RouterConfiguration(
                    in: locations.configuration, ownership: ownership, logger: logger, onlyRoute: call.route)
            } catch {
                report(error)
                throw .configuration(faults: error.count, unit: unit)
            }
            do throws(CallbackError) {
                return try configuration.command(
                    of: call.kind, at: call.position, in: call.route, for: call.request, socket: locations.socket)
            } catch {
                throw ProgramServerRefusal(error)
            }
        }
    }
}
