import Glibc
import TestSupport
import Testing
import XCallbackTesting
import XCallbackWire

/// Calls that are slow with many routes, and clients that send many of them.
@Suite(.blocking)
struct InspectionTests {
    private static func daemon(routeCount: Int) throws -> RunningDaemon {
        let routes = (0..<routeCount).map { "  - { route: \"app:/r\($0)/:id\", respond: {} }\n" }
        return try RunningDaemon("schemes: [app]\nroutes:\n\(routes.joined())  - { route: app:/ping, respond: {} }\n")
    }

    @Test(arguments: ["Explain", "Routes"])
    func clientsThatAskAndLeaveCostNothing(method: String) throws {
        let daemon = try Self.daemon(routeCount: 2000)
        let client = try daemon.connect()
        _ = try client.ask("app:/ping")
        let (descriptors, memory) = (try daemon.state.descriptorCount, try daemon.state.residentSize)
        let parameters: JSONValue = method == "Explain" ? ["url": "app:/r1/a"] : [:]
        for _ in 0..<2000 { try RouterClient(daemon.socket).send(method, parameters) }
        // Each ping is a turn of the loop, which notices the closed connections; Dispatch keeps a few descriptors of its own.
        try daemon.ask("app:/ping", on: client) { try daemon.state.descriptorCount <= descriptors + 4 }
        #expect(try daemon.state.residentSize - memory < 16 << 20)
        let reply = try RouterClient(daemon.socket).call(method, parameters)
        #expect(reply["explanation"] != nil || reply["routes"] != nil)
    }
}
