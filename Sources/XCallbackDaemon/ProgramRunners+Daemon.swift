import Logging
import XCallbackBuiltIns

extension ProgramRunners {
    /// What runs the programs of the daemon at a place.
    init(for locations: Locations, _ logger: Logger) {
        if locations.isSystem {
            // Here is the place of what runs the programs of the system's daemon outside of its sandbox.
            self.init(usual: SpawningRunner(), unit: UnitRunner(isRequired: true, logger))
        } else {
            self.init(usual: UnitRunner(isRequired: false, logger), unit: UnitRunner(isRequired: true, logger))
        }
    }
}
