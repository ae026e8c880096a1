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
}
