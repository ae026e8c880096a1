import XCallbackWire

/// The client of the program server: it makes one call, and reads what becomes of it.
final class RouterClient: SimulatedClient {
    private var runs = false
    private var hasResult = false

    init(_ number: Int, _ socket: SimulatedSocket, in world: World) {
        super.init(number, socket, terminator: 0, in: world)
        let routes = ["sim:/run/:id", "sim:/start/:id", "sim:/now/:id", "sim:/none"]
        let route = routes[world.below(routes.count)]
        let request: JSONValue = [
            "url": ["text": .string(route.replacing(":id", with: "7")), "syntax": "callback"], "origin": "socket",
            "peer": ["uid": .number(0), "gid": .number(0), "pid": .number(1)],
            "parameters": .array([["name": "id", "value": "7"]]), "data": [:],
        ]
        let call: JSONValue = [
            "method": "org.xcallback.ProgramServer.Run", "more": .bool(!world.isOneIn(20)),
            "parameters": [
                "route": .string(route), "content": .string(String(world.fingerprints[route] ?? 0, radix: 16)),
                "files": [], "stage": "handler", "position": .number(0), "request": request,
            ],
        ]
        give(world.isOneIn(10) ? Array("GET /".utf8) : call.bytes)
    }

    /// A program has no time limit of its own: the router ends it by disconnecting.
    override var isStream: Bool { true }

    override func receive(_ message: [UInt8], in world: World) {
        guard let reply = try? JSONValue(parsing: message.span, maximumSize: message.count) else {
            return world.fail("the program server replies with what is no JSON")
        }
        if hasResult { return world.fail("the program server replies after the last reply: \(reply)") }
        guard reply["continues"] == .bool(true) else {
            hasResult = true
            return
        }
        if reply["parameters"]?["progress"] != nil { return }
        if runs { world.fail("the program server reports twice that a program runs: \(reply)") }
        runs = true
    }
}
