import Glibc
import Testing
import XCallbackJSON
import XCallbackTesting
import XCallbackVarlink

/// What the document on the protocol shows and promises.
struct ProtocolDocumentTests {
    private static let document = Result { try textOfPackageFile("Docs/Reference/Protocol.md") }

    @Test func theMessagesThatAreShownAreAnsweredAsShown() throws {
        let lines = try Self.document.get().split(separator: "\n")
        let server = try TestService()
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

    @Test func everyTestThatIsNamedExists() throws {
        // The rows of the table with three columns, the last of which has the names.
        let rows = try Self.document.get().split(separator: "\n").map { $0.split(separator: "|") }
        let names = rows.filter { $0.count == 3 && $0[2].contains("`") }.flatMap { row in
            row[2].split(separator: "`").map(String.init).filter { $0.count > 2 }
        }
        #expect(names.count > 20)
        let sources = try Self.sources(in: "\(packageFolder)/Tests")
        for name in names { #expect(sources.contains("func \(name)("), "\(name)") }
    }

    /// The text of all sources of a folder.
    private static func sources(in folder: String) throws -> String {
        var text = ""
        guard let entries = opendir(folder) else { return text }
        defer { closedir(entries) }
        while let entry = readdir(entries) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name.hasPrefix(".") { continue }
            if name.hasSuffix(".swift") { text += try textOfFile("\(folder)/\(name)") }
            if entry.pointee.d_type == DT_DIR { text += try sources(in: "\(folder)/\(name)") }
        }
        return text
    }
}
