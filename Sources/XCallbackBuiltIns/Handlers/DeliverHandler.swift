import XCallbackConfiguration
import XCallbackEventLoop
import XCallbackPipeline
import XCallbackPrograms
import XCallbackURL
import XCallbackWire

/// Delivers each request to a client that receives under a name, and returns its response: `deliver: editor`.
struct DeliverHandler: DeliveringHandler, ConfiguredStage {
    let name: String
    let wait: Duration?
    private let program: Activation?
    private let kinds: ParameterKinds

    init?(_ source: StageSource) {
        wait = source.keys?.duration("wait", in: .milliseconds(1)...Duration.seconds(3600))
        var isSound = true
        program = source.keys?.node("start").flatMap { node in
            let program = Activation(node, source)
            isSound = program != nil
            return program
        }
        kinds = ParameterKinds(source.route)
        guard let name = source.clientName("the name of a receiver"), isSound else { return nil }
        self.name = name
    }

    var facts: StageFacts {
        var facts = StageFacts()
        facts.clientName = name
        return facts
    }

    var activation: (any ReceiverActivation)? { program }

    /// Writes the reply to `Receive`.
    func write(
        messageOf request: Request, id: Span<UInt8>, limit: Duration, to bytes: inout [UInt8]
    ) {
        bytes.append(addingCapacity: OutputSpan.room(forItems: request.parameters) + id.count * 6 + 128) {
            output in
            output.append("{\"request\":{\"id\":")
            output.append(json: id)
            output.append(",\"items\":")
            output.append(items: request.parameters)
            output.append(",\"limit\":")
            output.append(seconds: limit)
            output.append(UInt8(ascii: ","))
        }
        request.appendMembers(kinds, to: &bytes)
        bytes.append("}}")
    }

    func plan(for request: Request) -> StagePlan {
        let patience = wait.map { "; without one, the request waits \($0.text)" } ?? ""
        return StagePlan(
            "the client that receives as \(name.quoted) answers\(patience)",
            command: program?.words.map { String(decoding: $0, as: UTF8.self) })
    }
}

extension DeliverHandler: ProgramOwner {
    var position: Int { 0 }

    /// Returns the command that starts a receiver; no program runs for a request.
    func command(for request: Request?, socket: String) -> ChildCommand? {
        guard request == nil, let program, !program.isOwnChild else { return nil }
        return program.command(toReceiveAs: name, at: socket)
    }
}
