import XCallbackBytes
import XCallbackConfiguration
import XCallbackJSON
import XCallbackLinux

/// The text of a drop-in in which single values are changed; everything else stays, comments too.
package struct DropInText: Hashable, Sendable {
    /// The text.
    package private(set) var text: String

    /// Creates it from the text of a file.
    package init(_ text: String) {
        self.text = text
    }

    /// Puts the path of a program into the place of its name, in each `exec`.
    ///
    /// - Parameters:
    ///   - name: The name, as it is written.
    ///   - path: The path.
    package mutating func replaceProgram(_ name: String, with path: String) {
        // Braces are doubled in what a template takes as it is.
        let template = path.replacing(each: "{", with: "{{").replacing(each: "}", with: "}}")
        let word = template.hasOnlyAlphanumerics(and: "/._-+") ? template : JSONValue.string(template).description
        replaceScalars(with: word) { key, value in
            guard key == "exec", case .sequence(let words) = value.content else { return nil }
            return words.first.flatMap { $0.isScalar(name) ? $0 : nil }
        }
    }

    /// Makes all public routes private.
    ///
    /// - Parameter reason: Why, for a comment behind each.
    package mutating func makePrivate(because reason: String) {
        replaceScalars(with: "false", comment: reason) { key, value in
            key == "public" && value.isScalar("true") ? value : nil
        }
    }

    /// Puts a word into the place of values.
    ///
    /// - Parameters:
    ///   - word: The word.
    ///   - comment: What is written behind it, where nothing else is on the line.
    ///   - choose: Chooses the value to replace, of the key and the value of each member of a mapping.
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
        // From the end, so that the places before stay where they are.
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

    /// Visits the members of all mappings in it.
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
