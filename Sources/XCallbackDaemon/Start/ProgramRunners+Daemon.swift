import Logging
import XCallbackEventLoop
import XCallbackPrograms

extension ProgramRunners {
    /// Creates the runners for the programs of a daemon.
    init(for locations: Locations, _ logger: Logger) {
        if let socket = locations.programServerSocket {
            let service = ServerRunner(socket: socket, logger: logger)
            self.init(usual: isServed(socket) ? service : ChildRunner(), unit: service)
        } else {
            let isOfSystem = locations.isSystem
            let children = UserRunner(requiresScope: false, isOfSystem: isOfSystem, logger)
            self.init(
                usual: children, unit: UserRunner(requiresScope: true, isOfSystem: isOfSystem, logger), spawn: children)
        }
    }
}
