import Testing
import XCallbackTesting
import XCallbackWire

/// The messages that the document on the protocol shows.
struct ProtocolDocumentTests {
    @Test func theMessagesThatAreShownAreAnsweredAsShown() throws {
        let lines = try textOfPackageFile("Docs/Internals/Varlink.md").split(separator: "\n")
        let server = TestService()
        var count = 0
        for (call, reply) in zip(lines, lines.dropFirst()) where call.hasPrefix("> ") {
            server.receive(String(call.dropFirst(2)))
            if server.session.isBusy {
                server.finish(with: ["text": server.calls.last?.parameters["text"] ?? .null])
            }
            #expect(server.takeReplies() == [String(reply.dropFirst(2))])
            count += 1
        }
        #expect(count > 5)
    }
}
