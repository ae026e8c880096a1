import Glibc
import TestSupport
import Testing
import XCallbackBuiltIns
import XCallbackConfiguration
import XCallbackRouter

/// What people write by mistake, what they are told, and what they write then.
struct CommonMistake: Sendable, CustomTestStringConvertible {
    /// The configuration; what begins with a route has the usual lines before it.
    let text: String
    /// A part of the message.
    let message: String
    /// The configuration that the message leads to.
    let fix: String
    /// A URL that the author meant, and the items of its answer.
    let url: String?
    let answer: String

    var testDescription: String { text }

    init(_ text: String, _ message: String, _ fix: String, _ url: String? = nil, _ answer: String = "") {
        self.text = Self.whole(text)
        self.message = message
        self.fix = Self.whole(fix)
        self.url = url
        self.answer = answer
    }

    private static func whole(_ text: String) -> String {
        text.hasPrefix("- ") ? "schemes: [notes]\nroutes:\n\(text)" : text
    }

    /// A mistake in the pattern of a route; the fix may need other keys, and answers with a parameter if it has a name.
    static func pattern(
        _ text: String, _ message: String, _ fix: String, _ url: String, _ answer: String = "",
        with keys: String? = nil
    ) -> Self {
        let name = answer.split(separator: "=").first.map(String.init)
        let respond = name.map { "respond: { \($0): \"{\($0)}\" }" } ?? "respond:"
        let fixed = "- route: \(fix)\n" + (keys.map { "  \($0)\n" } ?? "") + "  \(respond)"
        return Self("- route: \(text)\n  respond:", message, fixed, url, answer)
    }

    /// A mistake in the declaration of the parameter `t`.
    static func input(_ declaration: String, _ message: String, _ fix: String) -> Self {
        Self(
            "- route: /a\n  input: { t: \(declaration) }\n  respond:", message,
            "- route: /a\n  input: { t: \(fix) }\n  respond:")
    }

    /// What is told of it.
    var told: [String] { Self.told(of: text) }

    /// A mistake in what stands under the route `/a/:id`.
    static func route(_ text: String, _ message: String, _ fix: String, _ answer: String = "") -> Self {
        Self("- route: /a/:id\n  \(text)", message, "- route: /a/:id\n  \(fix)", "notes:/a/7?t=b", answer)
    }
}

extension CommonMistake {
    private static let ownPeer = Peer(userID: geteuid(), groupID: getegid(), processID: 42)

    /// Checks that the message names the fix, which then loads without a fault or a warning, and answers as meant.
    func check() throws {
        #expect(told.contains { $0.contains(message) }, "\(told)")
        #expect(Self.told(of: fix) == [])
        guard let url, !fix.contains("exec:"), !fix.contains("redirect:") else { return }
        var fixed = try Configured(fix)
        expect(try fixed.result(of: url, from: Self.ownPeer), equals: answer)
    }

    /// The faults of a configuration, or its warnings.
    static func told(of text: String) -> [String] {
        let faults = Configured.faults(of: text)
        if !faults.isEmpty { return faults }
        return (try? Configured(text).configuration.warnings.warnings.map(\.message)) ?? []
    }
}
