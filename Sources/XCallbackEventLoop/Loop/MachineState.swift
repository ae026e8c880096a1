/// The states of a state machine, with its transitions as a table.
///
/// `Docs/Internals/Architecture.md` has diagrams of these tables.
package protocol MachineState: CaseIterable, Equatable, RawRepresentable, Sendable where RawValue == String {
    /// The events of the machine.
    associatedtype Event: CaseIterable, RawRepresentable where Event.RawValue == String

    /// The state after an event; nil if the event changes nothing in this state.
    func after(_ event: Event) -> Self?
}

extension MachineState {
    /// Whether a transition to another state exists, or the state stays the same; debug builds check each change.
    package func leads(to other: Self) -> Bool { other == self || Event.allCases.contains { after($0) == other } }
}
