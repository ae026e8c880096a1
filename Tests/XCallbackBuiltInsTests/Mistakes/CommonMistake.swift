import Glibc
import Testing
import XCallbackBuiltIns
import XCallbackConfiguration
import XCallbackPipeline

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

    /// A mistake in the declaration of the parameter `t`.
    static func input(_ declaration: String, _ message: String, _ mend: String) -> Self {
        Self(
            "- route: /a\n  input: { t: \(declaration) }\n  respond:", message,
            "- route: /a\n  input: { t: \(mend) }\n  respond:")
    }

    /// What is told of it.
    var told: [String] { Self.told(of: text) }

    /// A mistake in what stands under the route `/a/:id`.
    static func route(_ text: String, _ message: String, _ mend: String, _ answer: String = "") -> Self {
        Self("- route: /a/:id\n  \(text)", message, "- route: /a/:id\n  \(mend)", "notes:/a/7?t=b", answer)
    }
}

extension CommonMistake {
    private static let ownPeer = Peer(userID: geteuid(), groupID: getegid(), processID: 42)

    /// Checks that the message names the mend, which then loads without a fault or a warning, and answers as meant.
    func check() throws {
        #expect(told.contains { $0.contains(message) }, "\(told)")
        #expect(Self.told(of: mend) == [])
        guard let url, !mend.contains("exec:"), !mend.contains("redirect:") else { return }
        var mended = try Configured(mend)
        #expect(try mended.result(of: url, from: Self.ownPeer) == answer)
    }

    /// The faults of a configuration, or its warnings.
    static func told(of text: String) -> [String] {
        let faults = Configured.faults(of: text)
        if !faults.isEmpty { return faults }
        return (try? Configured(text).configuration.warnings.warnings.map(\.message)) ?? []
    }
}
