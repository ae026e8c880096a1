import Logging
import XCallbackEventLoop
import XCallbackPrograms

extension ProgramRunners {
    /// Creates the runners for the programs of a daemon.
    init(for locations: Locations, _ session: ManagerSession, _ logger: Logger) {
        if let socket = locations.programServerSocket {
            let service = ServerRunner(socket: socket, logger: logger)
            self.init(usual: isServed(socket) ? service : ChildRunner(), unit: service)
        } else {
            let children = ChildRunner(session)
            self.init(usual: children, unit: ChildRunner(requiresScope: true, session), spawn: children)
        }
    }
}
