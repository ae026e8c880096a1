import TestSupport
import Testing
import XCallback

/// Routers for schemes that other specifications define.
struct RouterSyntaxTests {
    @Test func aRouterReadsURLsOfOtherSchemes() async throws {
        let router = try Router(scheme: "ssh", syntax: .url) { router in
            router.route("//:host{/*path}") { (request: Request) -> Response in
                let url = request.url
                return .success([
                    "host": request.parameters["host"], "user": url.user, "port": url.port, "fragment": url.fragment,
                ])
            }
            router.group("//example.org") { group in
                group.route("/:id") { (request: Request) -> Response in .success(["id": request.parameters["id"]]) }
            }
            router.group("/notes", scheme: "Notes") { group in group.route("/:id") {} }
        }
        expect(
            await router.handle("ssh://ann@Host:22/a#f").url,
            equals: "xcallback://x-callback-url/success?host=host&user=ann&port=22&fragment=f")
        expect(await router.handle("ssh://example.org/7").url, equals: "xcallback://x-callback-url/success?id=7")
        expect(await router.handle("notes:/notes/7").url, equals: "xcallback://x-callback-url/success")
        expect(await router.handle("ssh://a@b@c").url) { $0.contains("errorCode=400") }
        expect(await router.handle("notes:/notes/7?x-success=ssh://h").url) { $0.contains("errorCode=400") }
    }

    @Test func aRouterReadsText() async throws {
        let router = try Router(scheme: "mpv", syntax: .text) { router in
            router.route("*link") { (link: [String: String]) in link }
            router.group("https://") { group in group.route("example.org/*rest") { (rest: [String: String]) in rest } }
        }
        expect(await router.handle("mpv://a?b#c").url, equals: "xcallback://x-callback-url/success?link=a%3Fb%23c")
        expect(
            await router.handle("mpv:https://example.org/x").url, equals: "xcallback://x-callback-url/success?rest=x")
    }
}
