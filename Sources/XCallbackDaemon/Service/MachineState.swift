/// The states of a state machine, with its transitions as a table.
///
/// The diagrams in `Docs/Explanation/Architecture.md` are generated from these tables.
protocol MachineState: CaseIterable, Equatable, RawRepresentable, Sendable where RawValue == String {
    /// The events of the machine.
    associatedtype Event: CaseIterable, RawRepresentable where Event.RawValue == String

    /// The state after an event; nil if the event changes nothing in this state.
    func after(_ event: Event) -> Self?
}

extension MachineState {
    /// Whether a transition to another state exists, or the state stays the same; debug builds check each change.
    func leads(to other: Self) -> Bool { other == self || Event.allCases.contains { after($0) == other } }

    /// The transitions as a Mermaid diagram (`stateDiagram-v2`).
    static var diagram: String {
        var lines = ["stateDiagram-v2"]
        if let first = allCases.first { lines.append("[*] --> \(first.rawValue)") }
        for state in allCases {
            var isFinal = true
            for next in allCases {
                let events = Event.allCases.filter { state.after($0)?.rawValue == next.rawValue }
                if events.isEmpty { continue }
                isFinal = false
                lines.append(
                    "\(state.rawValue) --> \(next.rawValue): \(events.map(\.rawValue).joined(separator: ", "))")
            }
            if isFinal { lines.append("\(state.rawValue) --> [*]") }
        }
        return lines.joined(separator: "\n    ")
    }
}

/// The diagrams of the daemon's state machines.
package enum StateDiagrams {
    /// Each diagram with the name of its type.
    package static let all = [
        "WaitingRequest": WaitingRequest.State.diagram, "Delivery": Delivery.State.diagram,
        "OutgoingCall": OutgoingCall.State.diagram,
    ]
}
