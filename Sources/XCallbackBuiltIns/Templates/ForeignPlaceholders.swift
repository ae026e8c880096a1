import XCallbackBytes
import XCallbackRouting

/// Parameter syntax of patterns, shells, and other template languages that is literal text here.
///
/// Only names of the route's parameters count: other texts can look the same.
struct ForeignPlaceholders {
    /// The text of a template.
    let text: String
    /// The stage of the template.
    let source: StageSource

    private var route: StageSource.RouteFacts { source.route }

    /// The warnings about the placeholders.
    var warnings: [String] {
        // Most texts have none of these bytes.
        text.utf8.contains { ":$%<".utf8.contains($0) } ? words + brackets : []
    }

    /// Words such as `:id` and `$id`.
    private var words: [String] {
        text.utf8.split { "/?&= \t\n\"'(),;".utf8.contains($0) }.compactMap { bytes in
            guard let mark = bytes.first, mark == UInt8(ascii: ":") || mark == UInt8(ascii: "$") else { return nil }
            let word = Substring(bytes.prefix { !"!.".utf8.contains($0) })
            let name = String(word.dropFirst())
            guard route.declares(name) else { return nil }
            return "'\(word)' is literal text: write a placeholder as '{\(name)}'"
        }
    }

    /// Names in brackets: `${id}`, `%{id}`, `<id>`.
    private var brackets: [String] {
        let bytes = Array(text.utf8)
        return bytes.indices.compactMap { start in
            switch bytes[start] {
            case UInt8(ascii: "$"), UInt8(ascii: "%"): markedPlaceholder(bytes, at: start)
            case UInt8(ascii: "<"): angleBrackets(bytes, at: start)
            default: nil
            }
        }
    }

    private func markedPlaceholder(_ bytes: [UInt8], at start: Int) -> String? {
        let isPercentage = bytes[start] == UInt8(ascii: "%") && start > 0 && isDigit(bytes[start - 1])
        guard !isPercentage, bytes[(start + 1)...].first == UInt8(ascii: "{"),
            let name = name(bytes[(start + 2)...], upTo: "}")
        else { return nil }
        let mark = Character(Unicode.Scalar(bytes[start]))
        return "'\(mark){\(name)}' is a '\(mark)' and the value: write a placeholder as '{\(name)}'"
    }

    private func angleBrackets(_ bytes: [UInt8], at start: Int) -> String? {
        // A markup tag has an end tag or a value.
        guard let name = name(bytes[(start + 1)...], upTo: ">"),
            !text.contains(text: "</"), !text.contains(text: "{\(name)}")
        else { return nil }
        return "'<\(name)>' is literal text: write a placeholder as '{\(name)}'"
    }

    /// Returns the name of a parameter that a bracket ends.
    private func name(_ bytes: ArraySlice<UInt8>, upTo end: Unicode.Scalar) -> String? {
        let name = bytes.prefix { $0 != UInt8(ascii: end) }
        guard name.endIndex < bytes.endIndex, let text = String(validating: name, as: UTF8.self) else { return nil }
        return route.declares(text) ? text : nil
    }

    private func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}

extension ForeignPlaceholders {
    /// Warnings about capture numbers, as in other routers' redirect targets: `$1`.
    var numberWarnings: [String] {
        text.utf8.split { "/?&=#".utf8.contains($0) }.compactMap { word in
            guard word.first == UInt8(ascii: "$"), word.dropFirst().allSatisfy(isDigit),
                let name = route.captureName(numbered: String(Substring(word.dropFirst())))
            else { return nil }
            return "'\(Substring(word))' is literal text: write a placeholder as '{\(name)}'"
        }
    }
}

extension StageSource.RouteFacts {
    /// The objects that contain parameters in other template languages.
    private static let objects: Set = [
        "args", "body", "captures", "context", "ctx", "input", "inputs", "params", "parameters", "path", "query", "req",
        "request", "route", "url", "values", "vars",
    ]

    /// Returns the likely parameter for other template languages' syntax in braces: `params.id`, `id:int`, ` id `, `1`.
    ///
    /// - Parameter text: The text in the braces; not the name of a parameter of the route.
    /// - Returns: The name of the parameter; nil if no likely one is known.
    func parameter(meantBy text: String) -> String? {
        if isOpen { return nil }
        let head = text.prefix { $0 != "|" }.drop { " .:$%#*".contains($0) }.prefix { $0 != ":" }
        let name = String(String(head).trimmed { " ?*+!".contains($0) })
        if declares(name) { return name }
        if let name = captureName(numbered: name) { return name }
        let parts = name.split { ".[]'\"".contains($0) }.map(String.init)
        guard parts.count > 1, Self.objects.contains(parts[0]), let last = parts.last else { return nil }
        return declares(last) ? last : nil
    }

    /// Returns the name of a capture by its number, counted from 1 or from 0.
    fileprivate func captureName(numbered text: String) -> String? {
        guard let number = Int(text), number >= 0 else { return nil }
        let index = max(number, 1) - 1
        return index < pattern.captures.count ? pattern.captures[index].name : nil
    }
}

extension String {
    /// Returns the text without some trailing characters.
    fileprivate func trimmed(of isLeftOut: (Character) -> Bool) -> Substring {
        self[..<(lastIndex { !isLeftOut($0) }.map(index(after:)) ?? startIndex)]
    }
}
