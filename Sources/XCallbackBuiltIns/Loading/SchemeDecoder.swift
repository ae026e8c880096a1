import XCallbackConfiguration
import XCallbackPipeline
import XCallbackURL

/// Decodes the schemes of all files.
struct SchemeDecoder {
    /// A scheme of the router's own.
    private struct Scheme {
        let name: String
        let place: Place
        var settings: Settings
    }

    /// The settings of a scheme in the files.
    private struct Settings {
        /// How its URLs are read.
        var syntax: Setting<URLSyntax>?
        /// Whether a host is ignored or is the first segment.
        var hosts: Setting<Hosts>?
        var title: Setting<String>?
        var description: Setting<String>?
    }

    /// A setting and its place.
    private struct Setting<Value: Equatable> {
        let value: Value
        let place: Place
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
            SchemeSettings(
                scheme.name, syntax: scheme.settings.syntax?.value ?? .callback,
                ignoresHosts: scheme.settings.hosts?.value == .ignore)
        }
    }

    /// Reports settings that exclude each other, after all files.
    func check() {
        for scheme in schemes {
            let syntax = scheme.settings.syntax?.value ?? .callback
            if let hosts = scheme.settings.hosts, syntax != .callback {
                faults.report("'hosts' belongs to syntax 'callback'", at: hosts.place)
            }
            if scheme.name == "http" || scheme.name == "https", syntax != .url {
                faults.report(
                    "the scheme \(scheme.name.quoted) cannot be a router's own: write '\(scheme.name): { syntax: url }'",
                    at: scheme.place)
            }
        }
    }

    /// The descriptions of the schemes that have one.
    var descriptions: [SchemeDescription] {
        schemes.compactMap { scheme in
            let (title, description) = (scheme.settings.title?.value, scheme.settings.description?.value)
            if title == nil, description == nil { return nil }
            return SchemeDescription(scheme: scheme.name, title: title, description: description)
        }
    }

    /// Adds the schemes of a file: a list of names, or a mapping of names to settings.
    ///
    /// - Returns: The default scheme of the file's routes: the only scheme that the file lists, or nil.
    mutating func add(_ node: Node) -> String? {
        if case .mapping(let members) = node.content {
            for member in members { add(member.key, settings(member), member.place) }
            return members.count == 1 ? members.first.flatMap { checkedName($0.key, $0.place) } : nil
        }
        let names = node.elements.compactMap { element in element.string(faults).map { ($0, element.place) } }
        for (name, place) in names { add(name, Settings(), place) }
        return node.elements.count == 1 ? names.first.flatMap { checkedName($0.0, $0.1) } : nil
    }

    /// Adds a scheme; several files can name it if their settings do not contradict each other.
    private mutating func add(_ name: String, _ settings: Settings, _ place: Place) {
        guard let name = checkedName(name, place) else { return }
        guard let index = schemes.firstIndex(where: { $0.name == name }) else {
            return schemes.append(Scheme(name: name, place: place, settings: settings))
        }
        if schemes[index].place.file == place.file {
            return faults.report("the scheme \(name.quoted) is listed twice", at: place)
        }
        add(settings.syntax, to: \.syntax, of: index)
        add(settings.hosts, to: \.hosts, of: index)
        add(settings.title, to: \.title, of: index)
        add(settings.description, to: \.description, of: index)
    }

    private mutating func add<Value>(
        _ setting: Setting<Value>?, to path: WritableKeyPath<Settings, Setting<Value>?>, of index: Int
    ) {
        guard let setting else { return }
        if let other = schemes[index].settings[keyPath: path], other.value != setting.value {
            faults.report(
                "the scheme \(schemes[index].name.quoted) has other settings elsewhere", at: setting.place,
                other: Fault.Other(at: other.place))
        } else {
            schemes[index].settings[keyPath: path] = setting
        }
    }

    private func settings(_ member: Node.Member) -> Settings {
        guard !member.value.isNull, let reader = MappingReader(member.value, of: "a scheme", faults: faults)
        else { return Settings() }
        func setting<Value>(_ key: String, _ value: Value?) -> Setting<Value>? {
            value.map { Setting(value: $0, place: reader.node(key)?.place ?? member.place) }
        }
        let settings = Settings(
            syntax: setting("syntax", reader.choice("syntax", of: URLSyntax.self)),
            hosts: setting("hosts", reader.choice("hosts", of: Hosts.self)),
            title: setting(
                "title", reader.description("title", limit: RouteDescription.titleLimit, hasLines: false)),
            description: setting(
                "description", reader.description("description", limit: RouteDescription.textLimit)))
        reader.finish()
        return settings
    }

    /// Returns the likely intended scheme: `notes` for `notes://`, `my-notes` for `my_notes`.
    private func suggestion(for name: String) -> String {
        let end = name.reversed().prefix { $0 == "/" || $0 == ":" }.count
        let scheme = String(name.dropLast(end).map { $0 == "_" || $0 == " " ? "-" : $0 })
        let bytes = Array(scheme.utf8)
        let isValid = !bytes.isEmpty && bytes.indices.allSatisfy { isSchemeByte(bytes[$0], isFirst: $0 == 0) }
        return isValid ? "; did you mean '\(scheme)'?" : ""
    }

    /// Returns the name of a scheme in lower case; nil after a fault.
    private func checkedName(_ name: String, _ place: Place) -> String? {
        let bytes = Array(name.utf8)
        let isValid = !bytes.isEmpty && bytes.indices.allSatisfy { isSchemeByte(bytes[$0], isFirst: $0 == 0) }
        let scheme = name.lowercased()
        if !isValid {
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
