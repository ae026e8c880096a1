import Foundation
import Hummingbird
import Logging

/// An HTTP server on a Unix socket that does with an HTTP router what the daemon does with its own.
@main
struct HTTPPeer {
    /// The patterns of a service; the same in every server that is compared.
    static let patterns = [
        "items", "items/:id", "items/:id/append", "items/:id/remove", "open", "open/:doc/page/:num", "create", "search",
        "tags/:tag", "files/:name",
    ]

    static func main() async throws {
        guard CommandLine.arguments.count == 2 else {
            FileHandle.standardError.write(Data("usage: http-peer SOCKET\n".utf8))
            exit(64)
        }
        var logger = Logger(label: "http-peer")
        logger.logLevel = .error
        let application = Application(
            router: makeRouter(routes: 100),
            configuration: .init(address: .unixDomainSocket(path: CommandLine.arguments[1])),
            logger: logger
        )
        try await application.runService()
    }

    /// Makes a router of which every route answers with the request's `x-success` and one more item.
    static func makeRouter(routes: Int) -> Router<BasicRequestContext> {
        let router = Router()
        router.get("notes/:id/append", use: answer)
        for index in 0..<routes - 1 {
            router.get("svc\(index / patterns.count)/\(patterns[index % patterns.count])", use: answer)
        }
        return router
    }

    /// Answers a request.
    @Sendable static func answer(request: Request, context: BasicRequestContext) throws -> String {
        guard let success = request.uri.queryParameters["x-success"] else { throw HTTPError(.badRequest) }
        return "\(success)\(success.contains("?") ? "&" : "?")result=ok"
    }
}
