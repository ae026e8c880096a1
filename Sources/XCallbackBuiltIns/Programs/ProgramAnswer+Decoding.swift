import XCallbackConfiguration
import XCallbackPrograms

extension ProgramAnswer {
    /// Decodes the meaning of a program's end: the keys `output` and `cancel-status` of its route.
    ///
    /// - Parameters:
    ///   - source: The stage that runs it.
    ///   - isDetached: Whether the program is detached, so that the request does not wait for its end.
    init(_ source: StageSource, isDetached: Bool) {
        self.init(
            source.keys?.choice("output", of: ProgramOutput.self) ?? (isDetached ? .none : .text),
            cancelStatus: source.keys?.integer("cancel-status", in: 1...255) ?? Self.defaultCancelStatus,
            outputLimit: source.surroundings.limits.output)
        guard isDetached else { return }
        for key in ["cancel-status", "output"] {
            guard let place = source.keys?.keyPlace(key) else { continue }
            source.faults.report("nothing waits for a detached program: leave \(key.quoted) out", at: place)
        }
    }
}
