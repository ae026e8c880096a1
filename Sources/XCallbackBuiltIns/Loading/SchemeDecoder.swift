import XCallbackConfiguration
import XCallbackRouter
import XCallbackURL

/// Decodes the schemes of all files.
struct SchemeDecoder {
    /// The settings of a scheme by their keys, and their places.
    private typealias Settings = [String: (text: String, place: Place)]

    /// A scheme of the router's own.
    private struct Scheme {
        let name: String
        let place: Place
        var settings: Settings

        var syntax: URLSyntax { settings["syntax"].flatMap { URLSyntax(rawValue: $0.text) } ?? .callback }
    }

    private enum Hosts: String, CaseIterable {
        case action, ignore
    }

    private let faults: FaultList
    private var schemes: [Scheme] = []

    init(_ faults: FaultList) {
        self.faults = faults
    }

    /// The schemes with their settings.
    var decoded: [SchemeSettings] {
        schemes.map { scheme in
            let ignoresHosts = scheme.settings["hosts"]?.text == Hosts.ignore.rawValue
            return SchemeSettings(scheme.name, syntax: scheme.syntax, ignoresHosts: ignoresHosts)
        }
    }

    /// Reports settings that exclude each other, after all files.
    func check() {
        for scheme in schemes {
            if let hosts = scheme.settings["hosts"], scheme.syntax != .callback {
                faults.report("'hosts' belongs to syntax 'callback'", at: hosts.place)
            }
            if scheme.settings["syntax"] == nil, let syntax = SchemeSettings.knownSyntax(of: scheme.name) {
                faults.warn(
                    "\(scheme.name): links of other programs are no callback URLs, and most are refused: write "
                        + SchemeSettings.setting(scheme.name, syntax), at: scheme.place)
            }
            if scheme.name == "http" || scheme.name == "https", scheme.syntax != .url {
                faults.report(
                    "the scheme \(scheme.name.quoted) cannot be a router's own: write '\(scheme.name): { syntax: url }'",
                    at: scheme.place)
            }
        }
    }

    /// The descriptions of the schemes that have one.
    var descriptions: [SchemeDescription] {
        schemes.compactMap { scheme in
            let texts = ["title", "description", "icon"].map { scheme.settings[$0]?.text }
            if texts.allSatisfy({ $0 == nil }) { return nil }
            return SchemeDescription(scheme: scheme.name, title: texts[0], description: texts[1], icon: texts[2])
        }
    }

    /// Adds the schemes of a file: a list of names, or a mapping of names to settings.
    ///
    /// - Returns: The name of each scheme that the file lists; nil after a fault.
    mutating func add(_ node: Node) -> [String?] {
        if case .mapping(let members) = node.content {
            return members.map { add($0.key, settings($0), $0.place) }
        }
        return node.elements.map { element in element.string(faults).flatMap { add($0, [:], element.place) } }
    }

    /// Adds a scheme; several files can name it if their settings do not contradict each other.
    private mutating func add(_ name: String, _ settings: Settings, _ place: Place) -> String? {
        guard let name = checkedName(name, place) else { return nil }
        guard let index = schemes.firstIndex(where: { $0.name == name }) else {
            schemes.append(Scheme(name: name, place: place, settings: settings))
            return name
        }
        if schemes[index].place.file == place.file {
            faults.report("the scheme \(name.quoted) is listed twice", at: place)
        }
        for (key, setting) in settings {
            if let other = schemes[index].settings[key], other.text != setting.text {
                faults.report(
                    "the scheme \(name.quoted) has other settings elsewhere", at: setting.place,
                    other: Fault.Other(at: other.place))
            } else {
                schemes[index].settings[key] = setting
            }
        }
        return name
    }

    private func settings(_ member: Node.Member) -> Settings {
        guard !member.value.isNull, let reader = MappingReader(member.value, of: "a scheme", faults: faults)
        else { return [:] }
        let texts = [
            "syntax": reader.choice("syntax", of: URLSyntax.self)?.rawValue,
            "hosts": reader.choice("hosts", of: Hosts.self)?.rawValue,
            "title": reader.description("title", limit: RouteDescription.titleLimit, hasLines: false),
            "description": reader.description("description", limit: RouteDescription.textLimit),
            "icon": reader.description("icon", limit: RouteDescription.textLimit, hasLines: false),
        ]
        reader.finish()
        var settings: Settings = [:]
        for case (let key, let text?) in texts {
            settings[key] = (text, reader.node(key)?.place ?? member.place)
        }
        return settings
    }

    /// Returns the likely intended scheme: `notes` for `notes://`, `my-notes` for `my_notes`.
    private func suggestion(for name: String) -> String {
        let end = name.reversed().prefix { $0 == "/" || $0 == ":" }.count
        let scheme = String(name.dropLast(end).map { $0 == "_" || $0 == " " ? "-" : $0 })
        return isScheme(scheme) ? "; did you mean '\(scheme)'?" : ""
    }

    /// Returns the name of a scheme in lower case; nil after a fault.
    private func checkedName(_ name: String, _ place: Place) -> String? {
        let scheme = name.lowercased()
        if !isScheme(name) {
            faults.report(
                "\(name.quoted) is not a scheme: expected a letter, then letters, digits, '+', '-' or '.'"
                    + suggestion(for: scheme), at: place)
        } else if scheme == CallbackRules.answerScheme {
            faults.report("the scheme \(scheme.quoted) is the daemon's own: choose another", at: place)
        } else if CallbackRules.isRefused(scheme: scheme) {
            faults.report("the scheme \(scheme.quoted) cannot be a router's own: choose another", at: place)
        } else {
            return scheme
        }
        return nil
    }
}
