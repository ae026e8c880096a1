import XCallbackBuiltIns

extension ProgramRunners {
    /// What runs the programs of the daemon at a place.
    init(for locations: Locations) {
        let spawning = SpawningRunner()
        // The system's daemon: here is the place of what runs programs outside of its sandbox.
        if locations.isSystem {
            self.init(usual: spawning, unit: spawning)
        } else {
            self.init(usual: spawning, unit: spawning)
        }
    }
}
