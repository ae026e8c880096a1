import XCallbackConfiguration
import XCallbackEventLoop
import XCallbackPrograms
import XCallbackRouter
import XCallbackURL
import XCallbackWire

/// Delivers each request to a client that receives under a name, and returns its response: `deliver: editor`.
struct DeliverHandler: DeliveringHandler, ConfiguredStage, ProgramOwner {
    static let keys = Program.keys + ["receivers", "start", "wait"]

    let name: String
    let wait: Duration?
    /// The program that is started to receive (`start:`).
    let ownProgram: Program?
    private let kinds: ParameterKinds

    init?(_ source: StageSource) {
        wait = source.keys?.duration("wait", in: .milliseconds(1)...Duration.seconds(3600))
        kinds = ParameterKinds(source.route)
        let name = source.clientName("the name of a receiver")
        let start = source.keys?.node("start")
        ownProgram = start.flatMap { Program($0, source, for: .receiver(name: name ?? "")) }
        if let start, let program = ownProgram, program.receiverCommand(at: "") == nil {
            source.faults.report(
                "placeholders are not available: the program starts to receive requests, not for a single one",
                at: start.place)
        }
        if start == nil {
            for key in Program.keys { source.keys?.refuse(key, "\(key.quoted) is for a program that 'start' names") }
        }
        guard let name, start == nil || ownProgram != nil else { return nil }
        self.name = name
    }

    var facts: StageFacts { StageFacts { $0.clientName = name } }

    var startsReceiver: Bool { ownProgram != nil }

    func startReceiver(for request: Request, at socket: String, _ host: any StageHost) async throws {
        try await ownProgram?.startReceiver(for: request, at: socket, host)
    }

    /// Writes the reply to `Receive`.
    func write(
        messageOf request: Request, id: Span<UInt8>, limit: Duration, isNested: Bool, to bytes: inout [UInt8]
    ) {
        var head: [JSONValue.Member] = [
            .init("id", .string(String(utf8: id))), .init("items", request.parameters.json),
            .init("limit", .number(JSONNumber(seconds: limit))),
        ]
        if isNested { head.append(.init("nested", .bool(true))) }
        let message: JSONValue = ["request": .object(head + request.members(kinds))]
        message.write(to: &bytes)
    }

    func plan(for request: Request) -> StagePlan {
        let patience = wait.map { "; without one, the request waits \($0.text)" } ?? ""
        return StagePlan(
            "the client that receives as \(name.quoted) answers\(patience)",
            command: ownProgram?.receiverCommand(at: "")?.words)
    }
}
