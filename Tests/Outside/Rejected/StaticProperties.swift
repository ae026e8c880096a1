import XCallback

// The compiler names the remedy at each of these types.
struct StaticScheme: App { static let scheme = "bear" }
struct StaticSource: App { static let source: String? = "Diary" }
struct StaticPath: Action { static let path = "notes/open" }
struct StaticTitle: Action { static let title = "Open" }
struct StaticPolicies: ReceivedAction {
    static let policies = [Policy { _ in .verified }]
    func receive(input: ()) {}
}
