import XCallbackConfiguration
import XCallbackPipeline
import XCallbackRouting
import XCallbackURL
import XCallbackWire

/// Warns about public routes whose URLs a desktop changes if the first segment stands behind `//`, where a host stands.
struct DesktopSpelling {
    private let routes: [RouteDecoder.Decoded]

    init(_ routes: [RouteDecoder.Decoded], _ schemes: [SchemeSettings]) {
        let names = schemes.filter { $0.syntax == .callback && !$0.ignoresHosts }.map(\.name)
        self.routes = routes.filter { $0.route.isPublic && names.contains($0.route.scheme) }
    }

    /// Warns about first segments that differ only in case, and about numbers as first segments.
    func warn(_ faults: FaultList) {
        var known: [String: String] = [:]
        for decoded in routes {
            let route = decoded.route
            for text in Set(route.pattern.firstTexts.map { String(utf8: $0.span) }) {
                let key = "\(route.scheme):\(text.lowercased())"
                guard let other = known.updateValue(text, forKey: key), other != text else { continue }
                faults.warn(
                    "desktops write '\(route.scheme)://\(text)' in lower case, so that it can mean '/\(other)': let the "
                        + "texts differ in more than case, or write '\(route.scheme):/\(text)' in links",
                    at: decoded.place)
            }
            guard let name = route.pattern.firstParameter, let example = route.numberExample(of: name) else { continue }
            faults.warn(
                "some desktops write '\(route.scheme)://\(example)' as '\(route.scheme)://0.0.0.\(example)': put text "
                    + "before ':\(name)', or write '\(route.scheme):/\(example)' in links", at: decoded.place)
        }
    }
}

extension Route {
    /// A number that a parameter can be; nil if it is not of a type of numbers.
    fileprivate func numberExample(of name: String) -> String? {
        switch stages.input.declarations.first(named: name)?.rule.type {
        case .integer?: "42"
        case .boolean?: "1"
        default: nil
        }
    }
}
