import Glibc
import TestSupport
import Testing
import XCallbackTesting
import XCallbackWire

/// The conversations in the document about clients, with the real daemon.
@Suite(.blocking)
struct ClientDocumentTests {
    static let conversations = DocumentExample.all(in: "varlink", of: "Docs/Reference/Socket.md")

    @Test(arguments: conversations)
    func everyConversationGoesAsShown(example: DocumentExample) throws {
        let configuration = try #require(DocumentExample.all(in: "yaml", of: example.file).first).text
        let daemon = try RunningDaemon(configuration)
        var clients: [Substring: RouterClient] = [:]
        var id: JSONValue?
        for line in example.text.split(separator: "\n") {
            let sign = try #require(line.firstIndex { $0 == ">" || $0 == "<" })
            let name = line[..<sign]
            if line.hasSuffix("(disconnects)") {
                clients[name] = nil
                continue
            }
            let client = try clients[name] ?? RouterClient(daemon.socket)
            clients[name] = client
            let shown = String(line[line.index(sign, offsetBy: 2)...])
                .replacing("UID", with: "\(geteuid())").replacing("GID", with: "\(getegid())")
                .replacing("PID", with: "\(getpid())")
            if line[sign] == ">" {
                try client.send(text: shown.replacing("\"ID\"", with: "\(id ?? "ID")"))
                continue
            }
            var reply = try #require(try client.replyText())
            let value = try JSONValue(parsing: Array(reply.utf8).span, maximumSize: reply.utf8.count)
            if let new = value["parameters"]?["request"]?["id"] {
                id = new
                reply.replace("\(new)", with: "\"ID\"")
                #expect(reply.replacingLimit(with: 30) == shown)
            } else {
                reply.replace(/return%2F[0-9a-f]{32}/, with: "return%2FID")
                #expect(reply.replacing("\(id ?? "ID")", with: "\"ID\"").withExampleIDs == shown)
            }
        }
    }
}

extension String {
    /// Returns the message with the remaining time to respond replaced by another.
    fileprivate func replacingLimit(with seconds: Int) -> String {
        guard let start = firstRange(of: "\"limit\":")?.upperBound,
            let end = self[start...].firstIndex(of: ","), Double(self[start..<end]) ?? 0 > Double(seconds) - 20
        else { return self }
        return self[..<start] + "\(seconds).0" + self[end...]
    }
}
