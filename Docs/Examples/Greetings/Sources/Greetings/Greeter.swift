import XCallback

/// The application that greets, as its callers see it.
public struct Greeter: App {
    public init() {}
}

extension Greeter {
    /// Greets somebody.
    public struct SayHello: Action {
        public struct Input: Codable, Sendable {
            public var name: String
            public var isLoud: Bool?

            public init(name: String, isLoud: Bool? = nil) {
                self.name = name
                self.isLoud = isLoud
            }
        }

        public struct Output: Codable, Sendable {
            public var text: String

            public init(text: String) {
                self.text = text
            }
        }

        public init() {}
    }

    /// Returns what answers the actions.
    public static func router() throws -> Router {
        try Router(Greeter()) { router in
            router.answer(SayHello()) { input in
                guard !input.name.isEmpty else { throw CallbackError(.badParameter, "Whom shall I greet?") }
                let text = "Hello \(input.name)!"
                return SayHello.Output(text: input.isLoud == true ? text.uppercased() : text)
            }
        }
    }
}
