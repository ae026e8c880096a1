import Logging
import XCallbackBuiltIns
import XCallbackEventLoop

extension ProgramRunners {
    /// What runs the programs of the daemon at a place.
    init(for locations: Locations, _ logger: Logger) {
        let spawning = SpawningRunner()
        if let socket = locations.runnerSocket, isServed(socket) {
            let service = ServiceRunner(socket: socket, logger: logger)
            self.init(usual: service, unit: service)
        } else {
            self.init(usual: spawning, unit: spawning)
        }
    }
}
