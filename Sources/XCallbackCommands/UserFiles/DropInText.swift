import XCallbackBytes
import XCallbackConfiguration
import XCallbackLinux
import XCallbackWire

/// The text of a drop-in, in which single values are changed; everything else stays, including comments.
package struct DropInText: Hashable, Sendable {
    /// The text.
    package private(set) var text: String

    /// Creates the text from that of a file.
    package init(_ text: String) {
        self.text = text
    }

    /// Replaces the name of a program by its path, in each `exec`.
    ///
    /// - Parameters:
    ///   - name: The name as written.
    ///   - path: The path.
    package mutating func replaceProgram(_ name: String, with path: String) {
        // Braces in templates are escaped by doubling.
        let template = path.replacing(each: "{", with: "{{").replacing(each: "}", with: "}}")
        let word = template.hasOnlyAlphanumerics(and: "/._-+") ? template : JSONValue.string(template).description
        replaceScalars(with: word) { key, value in
            guard key == "exec", case .sequence(let words) = value.content else { return nil }
            return words.first.flatMap { $0.isScalar(name) ? $0 : nil }
        }
    }

    /// Makes all public routes private.
    ///
    /// - Parameter reason: The reason, for a comment after each.
    package mutating func makePrivate(because reason: String) {
        replaceScalars(with: "false", comment: reason) { key, value in
            key == "public" && value.isScalar("true") ? value : nil
        }
    }

    /// Replaces values by a word.
    ///
    /// - Parameters:
    ///   - word: The word.
    ///   - comment: The comment after it, if nothing else follows on the line.
    ///   - choose: Selects the value to replace, from the key and the value of each member of a mapping.
    private mutating func replaceScalars(
        with word: String, comment: String? = nil, choose: (String, Node) -> Node?
    ) {
        let reader = DocumentReader(ownership: .any)
        guard let root = reader.parse(text, name: "", faults: FaultList()) else { return }
        var places: Set<Place> = []
        root.visitMembers { key, value in
            if let node = choose(key, value) { places.insert(node.place) }
        }
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(Array.init)
        // From the end, so that earlier places stay valid.
        for place in places.sorted(by: >) {
            let start = place.column - 1
            let end = start + place.length
            let isLast = lines[place.line - 1][end...].allSatisfy { $0 == " " }
            let rest = isLast ? comment.map { Array("  # \($0)") } ?? [] : Array(lines[place.line - 1][end...])
            lines[place.line - 1].replaceSubrange(start..., with: Array(word) + rest)
        }
        text = lines.map { String($0) }.joined(separator: "\n")
    }
}

extension Node {
    fileprivate func isScalar(_ text: String) -> Bool {
        if case .scalar(let scalar) = content { scalar.text == text } else { false }
    }

    /// Visits the members of all mappings in the node.
    fileprivate func visitMembers(_ body: (String, Node) -> Void) {
        switch content {
        case .scalar: break
        case .sequence(let nodes): for node in nodes { node.visitMembers(body) }
        case .mapping(let members):
            for member in members {
                body(member.key, member.value)
                member.value.visitMembers(body)
            }
        }
    }
}
