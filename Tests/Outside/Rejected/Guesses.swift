import XCallback

struct AddNote: Action {
    typealias Input = String
}

// The compiler names what is right at each of these.
func guesses(_ policy: Policy, _ request: Request) async throws {
    let router = Router(scheme: "notes")
    router.route("/note") { "Milk" }
    _ = [request.query, request.params]
    let title = try request.decode(String.self)
    _ = [Response.failure(.internalFailure), .cancelled, .redirect(title)]
    _ = try Router(scheme: "notes") { router in
        router.route("/note", policy: policy) { "Milk" }
    }
    _ = try Router(scheme: "notes") { router in router.answer(AddNote.self) { note in print(note) } }
    _ = try Router(scheme: "notes") { router in router.get("/note") { "Milk" } }
    _ = try Router(scheme: "notes") { router in router.use { request, next in try await next(request) } }
}
