package import XCallbackConfiguration
import XCallbackPrograms
package import XCallbackRouter
import XCallbackURL
package import XCallbackWire

/// The names in a drop-in that matter to other files: what must not be answered while the drop-in has faults.
///
/// They are remembered while it is served, because a file that cannot be read does not tell them.
package struct DropInNames: Hashable, Sendable {
    /// The schemes that it declares, and those of its routes.
    package private(set) var schemes: [SchemeSettings] = []
    /// The kinds and names of its definitions, such as `policy mine`.
    package private(set) var definitions: Set<String> = []
    /// Whether these are all names, as far as a file with faults tells.
    var isComplete = true

    /// Creates an empty list.
    init() {}

    /// Adds a scheme, unless it is known.
    mutating func add(_ scheme: SchemeSettings) {
        guard !schemes.contains(where: { $0.name == scheme.name }) else { return }
        schemes.append(SchemeSettings(scheme.name, syntax: scheme.syntax, ignoresHosts: scheme.ignoresHosts))
    }

    /// Adds a definition.
    mutating func add(_ kind: ProgramStage.Kind, _ name: String) { definitions.insert("\(kind.rawValue) \(name)") }

    /// Adds the names of another file, or of the same one at another time.
    mutating func add(_ other: DropInNames) {
        for scheme in other.schemes { add(scheme) }
        definitions.formUnion(other.definitions)
    }

    /// Whether it defines a stage.
    func defines(_ kind: ProgramStage.Kind, _ name: String) -> Bool { definitions.contains("\(kind.rawValue) \(name)") }
}

extension DropInNames {
    /// Returns the name of the file that remembers the names of a configuration.
    package static func fileName(of configuration: String) -> String {
        "served-\(String(stableHash(configuration), radix: 16)).json"
    }

    /// The names as JSON.
    package var json: JSONValue {
        [
            "schemes": .array(
                schemes.map { scheme in
                    [
                        "name": .string(scheme.name), "syntax": .string(scheme.syntax.rawValue),
                        "ignores_hosts": .bool(scheme.ignoresHosts),
                    ]
                }),
            "definitions": .texts(definitions.sorted()),
        ]
    }

    /// Reads names; nil if they have another form.
    package init?(_ value: JSONValue) {
        guard let schemes = value["schemes"]?.elements, let definitions = value["definitions"]?.elements else {
            return nil
        }
        for scheme in schemes {
            guard let name = scheme["name"]?.text,
                let syntax = scheme["syntax"]?.text.flatMap({ URLSyntax(rawValue: $0) }),
                let ignoresHosts = scheme["ignores_hosts"]?.truth
            else { return nil }
            add(SchemeSettings(name, syntax: syntax, ignoresHosts: ignoresHosts))
        }
        for definition in definitions {
            guard let text = definition.text else { return nil }
            self.definitions.insert(text)
        }
    }
}

/// The drop-ins that a start leaves out because they have faults.
package struct UnservedDropIns: Sendable {
    /// Their names by their paths.
    private(set) var names: [String: DropInNames] = [:]
    /// Their faults.
    package internal(set) var error: ConfigurationError
    /// The number of files of the whole configuration.
    var totalCount = 0

    /// How much is not served, and the first fault, in a few words for people.
    package var summary: String {
        // A fault of a whole file has no line.
        let place =
            error.faults.first.map { ": \($0.place.file)" + ($0.place.line > 0 ? ":\($0.place.line)" : "") } ?? ""
        return "\(names.count) of \(totalCount) files not served\(place)"
    }

    /// The schemes whose URLs are not answered.
    var schemes: [SchemeSettings] {
        var all = DropInNames()
        for path in names.keys.sorted() { names[path].map { all.add($0) } }
        return all.schemes.map { scheme in
            var scheme = scheme
            scheme.outage = CallbackError(error).message
            return scheme
        }
    }

    /// Returns the drop-in that defines a stage.
    func file(defining kind: ProgramStage.Kind, _ name: String) -> String? {
        names.keys.sorted().first { names[$0]?.defines(kind, name) == true }
    }

    /// Leaves out further drop-ins.
    ///
    /// - Throws: All faults, if a file other than a drop-in has one, or if the schemes of a drop-in are unknown: it cannot be
    ///   read that far, and was not served before.
    mutating func leaveOut(
        _ faults: FaultList, of documents: ConfigurationDocuments, _ read: [String: DropInNames],
        _ known: [String: DropInNames]
    ) throws(ConfigurationError) {
        let paths = faults.faultyFiles.union(faults.relatedFiles.intersection(documents.dropInPaths))
        guard paths.isSubset(of: documents.dropInPaths) else { throw error }
        for path in paths {
            let (now, before) = (read[path], known[path.fileName])
            let isKnown = now?.isComplete == true && !faults.cutFiles.contains(path)
            guard isKnown || before != nil else { throw error }
            var all = now ?? DropInNames()
            if let before { all.add(before) }
            names[path] = all
        }
    }
}
