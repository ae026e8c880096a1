import XCallbackConfiguration
import XCallbackPrograms
import XCallbackRouter
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
    /// Whether it holds a value that can be code: any text.
    let isFree: Bool
    /// Whether it begins with such a value, which is not a URL.
    let startsFreely: Bool

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
        let types = parts.map { source.route.type(of: $0, readsInput: readsInput) }
        isFree = types.contains { $0.traits.isFree }
        startsFreely = types.first.map { $0.traits.isFree && $0 != .url } ?? false
        for part in parts where source.route.canBeAbsent(part, readsInput: readsInput) {
            let declared = ", or a parameter that is declared under 'input' and is required or has a default"
            source.faults.report(
                "'{\(part.name)}' can be absent: expected a capture that every URL has\(readsInput ? declared : "")"
                    + source.route.nearMissHint(part.name), at: place)
        }
    }

    var literal: [UInt8]? { Template(parts: parts).literal }

    /// The literal text before the first placeholder.
    var literalBeginning: String {
        guard case .literal(let text)? = parts.first else { return "" }
        return String(decoding: text, as: UTF8.self)
    }

    /// The literal text, with a NUL for each placeholder.
    var literalText: String {
        parts.map { if case .literal(let text) = $0 { String(decoding: text, as: UTF8.self) } else { "\0" } }.joined()
    }

    /// Whether it sets a variable with a literal name: `NAME=`.
    var isAssignment: Bool {
        let name = literalBeginning.utf8.prefix { $0 != UInt8(ascii: "=") }
        return name.count < literalBeginning.utf8.count && name.allSatisfy(isNameByte)
    }

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
                // The text between the slash and a value is the beginning of a segment.
                if let slash = bytes.lastIndex(of: UInt8(ascii: "/")), !endsInQuery(bytes) {
                    guardedStart = guardedStart ?? start + slash + 1
                }
                continue
            }
            if case .fact(.action) = part {
                // Unlike a value, the action can begin with a slash, or with two before a host. The text after them must
                // stay below the directory before it.
                let hasHost = text.contents[start...].starts(with: "//".utf8)
                guardedStart = max(guardedStart ?? 0, start + (hasHost ? 2 : 1))
            } else if before.last == UInt8(ascii: "/"), begins(text, with: UInt8(ascii: "/"), at: start) {
                throw .leadsAstray(part.name)
            }
            if let guardedStart {
                // If the preceding value is empty, this one comes first after the slash.
                if begins(text, with: UInt8(ascii: "/"), at: guardedStart) { throw .leadsAstray(part.name) }
                if hasParentSegment(text.contents[guardedStart...]) { throw .leadsAstray(part.name) }
            }
            before = []
        }
        if let guardedStart, hasParentSegment(text.contents[guardedStart...]) { throw .leadsAstray(firstName) }
        if begins(text, with: UInt8(ascii: "-"), at: 0), try !mayBeginWithDash(text, request) {
            throw .isOption(firstName)
        }
        return try Program.checked(text.contents, of: "Parameter '\(firstName)'")
    }

    /// The name of the first placeholder.
    var firstName: String { parts.first { $0.name != "" }?.name ?? "" }

    private func mayBeginWithDash(_ text: borrowing ByteBuffer, _ request: Request) throws(CallbackError) -> Bool {
        if isOperand { return true }
        if case .literal(let start)? = parts.first {
            // A negative number behind a dash would make a long option.
            return start != [UInt8(ascii: "-")] || !begins(text, with: UInt8(ascii: "-"), at: 1)
        }
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

/// Whether a text ends in the query or the fragment of a URL.
private func endsInQuery(_ text: [UInt8]) -> Bool {
    text.contains { "?#".utf8.contains($0) } && String(decoding: text, as: UTF8.self).contains(text: "://")
}

/// Whether a path has a `..` segment.
private func hasParentSegment(_ path: ArraySlice<UInt8>) -> Bool {
    path.split(separator: UInt8(ascii: "/")).contains { $0.elementsEqual("..".utf8) }
}

extension StageRoute {
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
            if captures.first(named: part.name) != nil, !isOptional { return false }
            guard readsInput else { return true }
            let rule = input.declarations.first(named: part.name)?.rule
            return rule.map { !$0.isRequired && $0.defaultTexts == nil } ?? true
        }
    }

    /// The type of the values of a part; those of a literal, and those that the daemon makes, are one of few texts.
    fileprivate func type(of part: Template.Part, readsInput: Bool) -> ParameterType {
        switch part {
        case .literal, .fact(.uid), .fact(.origin), .fact(.route), .fact(.id): .enumeration([])
        case .fact(.url), .fact(.action): .url
        case .fact, .data: .string
        case .parameter(_, let isList, _):
            readsInput && !isList ? input.declarations.first(named: part.name)?.rule.type ?? .string : .string
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

/// Whether a byte can be part of the name of a variable: a letter or a digit of ASCII, or `_`.
func isNameByte(_ byte: UInt8) -> Bool { isUnreserved(byte) && !"-.~".utf8.contains(byte) }
