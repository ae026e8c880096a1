import XCallback

// The compiler names the right type at each of these types.
struct SourceOfAnotherType: App { let source: Substring = "Diary" }
struct TimeoutOfAnotherType: App { let timeout = 10 }
struct OpenerOfAnotherType: App { let opener = "xdg-open" }
struct OptionalOpener: App { let opener: (any Opener)? = nil }
struct OnePolicy: ReceivedAction {
    let policies = Policy { _ in .verified }
    func receive(input: ()) {}
}
