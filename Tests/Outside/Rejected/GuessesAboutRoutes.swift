import XCallback

func guesses(_ policy: Policy) throws {
    let router = Router(scheme: "notes")
    router.route("/note") { "Milk" }
    _ = try Router(scheme: "notes") { router in
        router.route("/note", policy: policy) { "Milk" }
    }
}
