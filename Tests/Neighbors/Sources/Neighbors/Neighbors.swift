import Hummingbird
import XCallback

/// Both have a `Router`, a `Request` and a `Response`: whoever imports both names the module.
@main
struct Neighbors {
    struct Note: Codable, Sendable {
        var title: String
    }

    static func main() async throws {
        let actions = try XCallback.Router(scheme: "notes") { router in
            router.route("/note") { (request: XCallback.Request) -> XCallback.Response in
                .success(["source": request.source])
            }
            router.route("/add") { (request: XCallback.Request, note: Note) in note }
        }
        let pages = Hummingbird.Router()
        pages.get("/note") { (_: Hummingbird.Request, _) -> Hummingbird.Response in
            let answer = await actions.handle("notes:/note?x-source=web")
            return Hummingbird.Response(status: answer.response == .cancel ? .noContent : .ok)
        }
        _ = Hummingbird.Application(router: pages)
        print(await actions.handle("notes:/note?x-source=web&x-success=app:/done").url)
    }
}
