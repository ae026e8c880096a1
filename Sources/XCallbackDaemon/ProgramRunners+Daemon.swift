import Glibc
import Logging
import XCallbackBuiltIns

extension ProgramRunners {
    /// What runs the programs of the daemon at a place.
    init(for locations: Locations, _ logger: Logger) {
        let spawning = SpawningRunner()
        if locations.isSystem, access(Locations.runnerSocket, F_OK) == 0 {
            let service = ServiceRunner(socket: Locations.runnerSocket, logger: logger)
            self.init(usual: service, unit: service)
        } else {
            self.init(usual: spawning, unit: spawning)
        }
    }
}
