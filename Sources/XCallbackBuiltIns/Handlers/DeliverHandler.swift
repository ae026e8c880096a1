import XCallbackConfiguration
import XCallbackJSON
package import XCallbackPipeline
import XCallbackURL

/// Hands each request to a client that receives under a name, and answers what that responds: `deliver: editor`.
package final class DeliverHandler: AsyncHandler {
    /// The name.
    package let name: String
    /// Who may receive.
    package let rule: ReceiverRule
    /// How long a request waits for somebody to receive, where nobody does.
    package let wait: Duration?
    /// The program that is started where nobody receives; it is expected to.
    package let activation: Activation?
    private let kinds: ParameterKinds

    init?(_ source: StageSource) {
        rule = source.receivers ?? ReceiverRule([])
        wait = source.keys?.duration("wait", in: .milliseconds(1)...Duration.seconds(3600))
        var isSound = true
        activation = source.keys?.node("start").flatMap { node in
            let activation = Activation(node, source)
            isSound = activation != nil
            return activation
        }
        kinds = ParameterKinds(source.route)
        guard let name = source.clientName("the name of a receiver"), isSound else { return nil }
        self.name = name
    }

    /// Throws: the daemon hands the request to a receiver itself, and where there is no daemon nobody receives.
    package func handle(_ request: Request) async throws -> Response {
        throw CallbackError(.unavailable, "Requests are delivered only by the daemon.")
    }

    /// Writes the reply to `Receive` that brings a request: an object in JSON.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - id: What its response has to name.
    ///   - limit: How long the receiver may take.
    ///   - bytes: Where it is appended.
    package func write(
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
}

extension DeliverHandler: RehearsedStage {
    /// Asks nobody.
    package func rehearse(_ request: inout Request, _ state: inout PipelineState) -> Rehearsal {
        Rehearsal(
            .open, notes: ["whoever receives as \(name.quoted) responds"],
            command: activation?.words.map { String(decoding: $0, as: UTF8.self) })
    }
}
