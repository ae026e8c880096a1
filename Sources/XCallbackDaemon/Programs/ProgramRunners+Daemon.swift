import Logging
import XCallbackBuiltIns
import XCallbackEventLoop

extension ProgramRunners {
    /// What runs the programs of the daemon at a place.
    init(for locations: Locations, _ logger: Logger) {
        if let socket = locations.runnerSocket {
            let service = ServiceRunner(socket: socket, logger: logger)
            self.init(usual: isServed(socket) ? service : SpawningRunner(), unit: service)
        } else if locations.isSystem {
            self.init(usual: SpawningRunner(), unit: UnitRunner(isRequired: true, logger))
        } else {
            self.init(usual: UnitRunner(isRequired: false, logger), unit: UnitRunner(isRequired: true, logger))
        }
    }
}
