import XCallbackConfiguration
import XCallbackPipeline
import XCallbackRouting
import XCallbackURL

extension Input {
    /// Warns about declarations that are likely meant for a capture, and about captures that cannot be absent.
    ///
    /// - Parameters:
    ///   - node: The declarations.
    ///   - pattern: The pattern of the route.
    ///   - faults: Receives the warnings.
    func warnOfCaptures(_ node: Node?, of pattern: RoutePattern, _ faults: FaultList) {
        guard let node, case .mapping(let members) = node.content, !pattern.captures.isEmpty else { return }
        for member in members {
            guard let rule = declarations.first(named: member.key)?.rule else { continue }
            if let capture = pattern.captures.first(named: member.key) {
                guard !rule.isRequired, !capture.isOptional else { continue }
                let mark = capture.isWildcard ? "*" : ":"
                faults.warn(
                    "every URL of this route has '\(capture.name)', so that 'required: false' has no effect: leave it out, "
                        + "or write '{/\(mark)\(capture.name)}' in the pattern", at: member.value.place)
            } else if rule.isRequired, rule.defaultTexts == nil {
                warnOfName(member, pattern, faults)
            }
        }
    }

    /// Warns about a name that nearly matches the name of an undeclared capture.
    private func warnOfName(_ member: Node.Member, _ pattern: RoutePattern, _ faults: FaultList) {
        let plain = member.key.plainName
        let others = pattern.captures.filter { declarations.first(named: $0.name) == nil }
        if let capture = others.first(where: { $0.name.plainName == plain }) {
            faults.warn(
                "\(member.key.quoted) is required, and not the capture '\(capture.name)' of the pattern: write "
                    + "'\(capture.name)' here", at: member.place)
        } else if member.key.contains("-"),
            pattern.text.split(whereSeparator: { "/{}".contains($0) }).contains(where: {
                $0.hasSuffix(":\(member.key)")
            })
        {
            faults.warn(
                "\(member.key.quoted) is required, and ':\(member.key)' in the pattern is another capture with a text behind "
                    + "it: write ':\"\(member.key)\"' there", at: member.place)
        }
    }
}

extension String {
    /// The name without features that are easily confused: case, hyphens, and underscores.
    fileprivate var plainName: String { lowercased().filter { $0 != "-" && $0 != "_" } }
}
