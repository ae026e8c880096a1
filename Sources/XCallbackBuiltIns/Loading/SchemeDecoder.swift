import XCallbackConfiguration
import XCallbackPipeline
import XCallbackURL

/// Decodes the schemes of all files.
struct SchemeDecoder {
    /// A scheme of the router's own.
    private struct Scheme {
        let name: String
        let place: Place
        /// What plays no part or is the first segment, if a file says it.
        var hosts: (setting: Hosts, place: Place)?
    }

    private enum Hosts: String, CaseIterable {
        case action, ignore
    }

    private let faults: FaultList
    private var schemes: [Scheme] = []

    init(_ faults: FaultList) {
        self.faults = faults
    }

    /// The schemes in lower case, and whether each ignores hosts.
    var decoded: [(name: String, ignoresHosts: Bool)] {
        schemes.map { ($0.name, $0.hosts?.setting == .ignore) }
    }

    /// Adds those of a file: a list of names, or a mapping of names to settings.
    ///
    /// - Returns: The scheme of the routes of the file that name none: the only one that it lists, or nil.
    mutating func add(_ node: Node) -> String? {
        if case .mapping(let members) = node.content {
            for member in members { add(member.key, hosts(member), member.place) }
            return members.count == 1 ? checkedName(members[0].key, members[0].place) : nil
        }
        let names = node.elements.compactMap { element in element.string(faults).map { ($0, element.place) } }
        for (name, place) in names { add(name, nil, place) }
        return node.elements.count == 1 ? names.first.flatMap { checkedName($0.0, $0.1) } : nil
    }

    /// Adds a scheme; several files may name it, as long as they do not contradict one another.
    private mutating func add(_ name: String, _ hosts: (setting: Hosts, place: Place)?, _ place: Place) {
        guard let name = checkedName(name, place) else { return }
        guard let index = schemes.firstIndex(where: { $0.name == name }) else {
            return schemes.append(Scheme(name: name, place: place, hosts: hosts))
        }
        let first = schemes[index]
        if first.place.file == place.file {
            faults.report("the scheme \(name.quoted) is listed twice", at: place)
        } else if let hosts, let other = first.hosts, hosts.setting != other.setting {
            faults.report(
                "the scheme \(name.quoted) has other settings elsewhere", at: hosts.place,
                other: Fault.Other(at: other.place))
        } else if let hosts {
            schemes[index].hosts = hosts
        }
    }

    private func hosts(_ member: Node.Member) -> (setting: Hosts, place: Place)? {
        guard !member.value.isNull, let settings = MappingReader(member.value, of: "a scheme", faults: faults)
        else { return nil }
        let setting = settings.choice("hosts", of: Hosts.self)
        settings.finish()
        return setting.map { ($0, settings.node("hosts")?.place ?? member.place) }
    }

    /// The scheme that was likely meant: `notes` for `notes://`, `my-notes` for `my_notes`.
    private func suggestion(for name: String) -> String {
        let end = name.reversed().prefix { $0 == "/" || $0 == ":" }.count
        let scheme = String(name.dropLast(end).map { $0 == "_" || $0 == " " ? "-" : $0 })
        let bytes = Array(scheme.utf8)
        let isValid = !bytes.isEmpty && bytes.indices.allSatisfy { isSchemeByte(bytes[$0], isFirst: $0 == 0) }
        return isValid ? "; did you mean '\(scheme)'?" : ""
    }

    /// The name of a scheme in lower case, or nil after a fault.
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
        } else if CallbackRules.isRefused(scheme: scheme) || scheme == "http" || scheme == "https" {
            faults.report("the scheme \(scheme.quoted) cannot be a router's own: choose another", at: place)
        } else {
            return scheme
        }
        return nil
    }
}
