import Logging
import XCallbackEventLoop
import XCallbackPrograms

extension ProgramRunners {
    /// Creates the runners for the programs of a daemon.
    init(for locations: Locations, _ logger: Logger) {
        if let socket = locations.programServerSocket {
            let service = ServerRunner(socket: socket, logger: logger)
            self.init(usual: isServed(socket) ? service : ChildRunner(), unit: service)
        } else if locations.isSystem {
            self.init(usual: ChildRunner(), unit: UnitRunner(isRequired: true, logger))
        } else {
            self.init(usual: UnitRunner(isRequired: false, logger), unit: UnitRunner(isRequired: true, logger))
        }
    }
}
