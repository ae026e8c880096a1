import XCallbackConfiguration
import XCallbackPipeline
import XCallbackRouting
import XCallbackURL
import XCallbackWire

/// An argument of a program: always a single one, regardless of its values.
struct ArgumentTemplate: Sendable {
    let parts: [Template.Part]
    /// The place in the configuration.
    let place: Place
    /// Whether a leading dash is harmless, because the argument follows a literal `--`.
    private let isOperand: Bool
    /// The parameters whose values can begin with a dash.
    private let dashNames: Set<[UInt8]>

    /// Decodes an argument; reports placeholders that can be absent.
    ///
    /// - Parameters:
    ///   - node: The text.
    ///   - isOperand: Whether a literal `--` precedes it.
    ///   - isCode: Whether a shell or an interpreter runs it.
    ///   - readsInput: Whether the declared parameters are decoded at that time.
    ///   - source: The stage of the program.
    init?(_ node: Node, isOperand: Bool, isCode: Bool = false, readsInput: Bool, _ source: StageSource) {
        guard let template = Template(node, isCode: isCode, source) else { return nil }
        self.init(template.parts, isOperand: isOperand, readsInput: readsInput, at: node.place, source)
    }

    /// Creates an argument; reports placeholders that can be absent.
    ///
    /// - Parameters:
    ///   - parts: The parts.
    ///   - isOperand: Whether a literal `--` precedes it.
    ///   - readsInput: Whether the declared parameters are decoded at that time.
    ///   - place: The place in the configuration.
    ///   - source: The stage of the program.
    init(
        _ parts: [Template.Part], isOperand: Bool, readsInput: Bool = true, at place: Place, _ source: StageSource
    ) {
        self.parts = parts
        self.place = place
        self.isOperand = isOperand
        dashNames = Set(
            source.route.input.declarations.filter(\.rule.allowsLeadingDash).map { Array($0.name.utf8) })
        for part in parts where source.route.canBeAbsent(part, readsInput: readsInput) {
            let declared = ", or a parameter that is declared under 'input' and is required or has a default"
            source.faults.report(
                "'{\(part.name)}' can be absent: expected a capture that every URL has\(readsInput ? declared : "")"
                    + source.route.nearMissHint(part.name), at: place)
        }
    }

    var literal: [UInt8]? { Template(parts: parts).literal }

    /// Returns the argument for a request.
    ///
    /// - Throws: ``CallbackError`` 422 if a value would be mistaken for an option, or lead out of a directory, or if a
    ///   parameter that is not a list occurs more than once.
    func text(for request: Request) throws(CallbackError) -> [UInt8] {
        var text = ByteBuffer()
        /// The start of the text that must stay below a directory.
        var guardedStart: Int?
        var before: [UInt8] = []
        for part in parts {
            let start = text.count
            try part.append(request, to: &text, joinedBy: UInt8(ascii: "/"))
            if case .literal(let bytes) = part {
                before = bytes
                continue
            }
            if case .fact(.action) = part {
                // Unlike a value, the action can begin with a slash, or with two before a host. The text after them must
                // stay below the directory before it.
                let hasHost = text.contents[start...].starts(with: "//".utf8)
                guardedStart = guardedStart ?? start + (hasHost ? 2 : 1)
            } else if before.last == UInt8(ascii: "/") {
                guardedStart = guardedStart ?? start
                if begins(text, with: UInt8(ascii: "/"), at: start) { throw .leadsAstray(part.name) }
            } else if before.suffix(2) == Array("/.".utf8) {
                // The dot can become the first of two.
                guardedStart = guardedStart ?? start - 1
            }
            if let guardedStart {
                // If the preceding value is empty, this one comes first after the slash.
                if begins(text, with: UInt8(ascii: "/"), at: guardedStart) { throw .leadsAstray(part.name) }
                if hasParentSegment(text.contents[guardedStart...]) { throw .leadsAstray(part.name) }
            }
            before = []
        }
        if let guardedStart, hasParentSegment(text.contents[guardedStart...]) { throw .leadsAstray(firstName) }
        if begins(text, with: UInt8(ascii: "-"), at: 0), try !mayBeginWithDash(request) { throw .isOption(firstName) }
        return try Program.checked(text.contents, of: "Parameter '\(firstName)'")
    }

    /// The name of the first placeholder.
    private var firstName: String { parts.first { $0.name != "" }?.name ?? "" }

    private func mayBeginWithDash(_ request: Request) throws(CallbackError) -> Bool {
        if isOperand { return true }
        if case .literal? = parts.first { return true }
        // The first nonempty part determines the dash.
        for part in parts {
            var text = ByteBuffer()
            try part.append(request, to: &text)
            guard !text.isEmpty else { continue }
            if case .parameter(let name, _, _) = part { return dashNames.contains(name) }
            return false
        }
        return true
    }
}

private func begins(_ text: borrowing ByteBuffer, with byte: UInt8, at start: Int) -> Bool {
    start < text.count && text.bytes[start] == byte
}

/// Whether a path has a `..` segment.
private func hasParentSegment(_ path: ArraySlice<UInt8>) -> Bool {
    path.split(separator: UInt8(ascii: "/")).contains { $0.elementsEqual("..".utf8) }
}

extension StageSource.RouteFacts {
    /// Whether a request can lack the value of a part of a template.
    ///
    /// Before the input is decoded, all declared parameters can be absent.
    func canBeAbsent(_ part: Template.Part, readsInput: Bool) -> Bool {
        if isOpen { return false }
        switch part {
        case .literal: return false
        case .fact(let fact): return fact == .source || RequestFact.partsOfURLs.contains(fact)
        case .data: return true
        case .parameter(_, _, let isOptional):
            if pattern.captures.first(named: part.name) != nil, !isOptional { return false }
            guard readsInput else { return true }
            let rule = input.declarations.first(named: part.name)?.rule
            return rule.map { !$0.isRequired && $0.defaultTexts == nil } ?? true
        }
    }
}

extension Template.Part {
    /// The text between the braces; empty for a literal.
    var name: String {
        switch self {
        case .literal: ""
        case .parameter(let name, _, _): String(utf8: name.span)
        case .fact(let fact): "@\(fact.rawValue)"
        case .data(let key): "@data.\(key)"
        }
    }
}

extension CallbackError {
    fileprivate static func isOption(_ name: String) -> CallbackError {
        CallbackError(.badParameter, "Parameter '\(name)' must not begin with '-'.")
    }

    fileprivate static func leadsAstray(_ name: String) -> CallbackError {
        CallbackError(.badParameter, "Parameter '\(name)' must not begin with '/' or hold a segment '..'.")
    }
}
