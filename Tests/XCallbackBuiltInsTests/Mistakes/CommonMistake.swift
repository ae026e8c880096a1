import Testing

/// What people write by mistake, what they are told, and what they write then.
struct CommonMistake: Sendable, CustomTestStringConvertible {
    /// The configuration; what begins with a route has the usual lines before it.
    let text: String
    /// A part of the message.
    let message: String
    /// The configuration that the message leads to.
    let mend: String
    /// A URL that the author meant, and the items of its answer.
    let url: String?
    let answer: String

    var testDescription: String { text }

    init(_ text: String, _ message: String, _ mend: String, _ url: String? = nil, _ answer: String = "") {
        self.text = Self.whole(text)
        self.message = message
        self.mend = Self.whole(mend)
        self.url = url
        self.answer = answer
    }

    private static func whole(_ text: String) -> String {
        text.hasPrefix("- ") ? "schemes: [notes]\nroutes:\n\(text)" : text
    }

    /// A mistake in the pattern of a route; the mend may need other keys, and answers with a parameter if it has a name.
    static func pattern(
        _ text: String, _ message: String, _ mend: String, _ url: String, _ answer: String = "",
        with keys: String? = nil
    ) -> Self {
        let name = answer.split(separator: "=").first.map(String.init)
        let respond = name.map { "respond: { \($0): \"{\($0)}\" }" } ?? "respond:"
        let mended = "- route: \(mend)\n" + (keys.map { "  \($0)\n" } ?? "") + "  \(respond)"
        return Self("- route: \(text)\n  respond:", message, mended, url, answer)
    }

    /// A mistake in what stands under the route `/a/:id`.
    static func route(_ text: String, _ message: String, _ mend: String, _ answer: String = "") -> Self {
        Self("- route: /a/:id\n  \(text)", message, "- route: /a/:id\n  \(mend)", "notes:/a/7?t=b", answer)
    }
}
