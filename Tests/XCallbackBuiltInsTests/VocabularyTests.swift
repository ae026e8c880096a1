import Testing
import XCallbackBuiltIns
import XCallbackTesting
import XCallbackWire

/// The keys that a configuration can have: as the decoder asks for them, as the schema lists them for editors, and as the
/// reference describes them.
struct VocabularyTests {
    /// A kind of mapping.
    struct Mapping: CustomTestStringConvertible {
        /// What faults call it.
        let what: String
        /// A configuration with such a mapping, whose key `KEY` nobody knows.
        let example: String
        /// Its definition in the schema.
        let definition: String
        /// The heading of its table in the reference; nil if its keys are in the text.
        var heading: String?
        /// Where it is described.
        var page = "Configuration"
        var file: String { "Docs/Reference/\(page).md" }
        /// The keys that are there for messages only.
        var hints: Set<String> = []
        var testDescription: String { what }
    }

    /// A key that is near no other one.
    private static let unknownKey = "qqqqqqqqqqqqqqqq"

    static let mappings = [
        Mapping(what: "a configuration", example: "KEY: 1", definition: "", heading: "The file"),
        Mapping(
            what: "a route", example: "routes: [{ exec: [a], deliver: a, KEY: 1 }]", definition: "route",
            heading: "A route", hints: ["group"]),
        Mapping(
            what: "a group", example: "routes: [{ group: { routes: [], KEY: 1 } }]", definition: "group",
            heading: "A group"),
        Mapping(
            what: "the item of a group", example: "routes: [{ group: { routes: [] }, KEY: 1 }]",
            definition: "group-item"),
        Mapping(
            what: "a parameter", example: "routes: [{ input: { a: { KEY: 1 } } }]", definition: "parameter-rules",
            heading: "Parameters"),
        Mapping(
            what: "the limits", example: "limits: { KEY: 1 }", definition: "limits", heading: "Limits"),
        Mapping(what: "the log", example: "log: { KEY: 1 }", definition: "log"),
        Mapping(what: "the callbacks", example: "callbacks: { KEY: 1 }", definition: "callbacks"),
        Mapping(what: "the definitions", example: "define: { KEY: 1 }", definition: "definitions"),
        Mapping(what: "a scheme", example: "schemes: { a: { KEY: 1 } }", definition: "scheme-settings"),
        Mapping(
            what: "a 'log' middleware", example: "middleware: [{ log: { values: true, KEY: 1 } }]",
            definition: "log-settings", page: "Stages"),
        Mapping(
            what: "a rate", example: "routes: [{ policies: { rate: { limit: 1/s, KEY: 1 } } }]",
            definition: "rate-settings", page: "Stages"),
        Mapping(
            what: "an 'app' policy", example: "routes: [{ policies: { app: { ids: a, KEY: 1 } } }]",
            definition: "app-settings", page: "Stages"),
        Mapping(
            what: "a 'confirm' policy", example: "routes: [{ policies: { confirm: { exec: [a], KEY: 1 } } }]",
            definition: "confirm-settings", page: "Stages"),
        Mapping(
            what: "a 'token' policy", example: "routes: [{ policies: { token: { file: /a, KEY: 1 } } }]",
            definition: "token-settings", page: "Stages"),
    ]

    /// The keys that the decoder expects, as it tells them of one that it does not know.
    private static func expectedKeys(_ mapping: Mapping) throws -> Set<String> {
        let text = mapping.example.replacing("KEY", with: unknownKey)
        let beginning = "unknown key '\(unknownKey)' in \(mapping.what); expected "
        let fault = try #require(Configured.faults(of: text).first { $0.contains(beginning) })
        let list = try #require(fault.split(separator: beginning).last)
        let words = list.split(separator: ", ").flatMap { $0.split(separator: " or ") }
        return Set(words.map { String($0) }).subtracting(mapping.hints)
    }

    private static func schema() throws -> JSONValue {
        let bytes = Array(try textOfPackageFile("config/xcallbackd.schema.json").utf8)
        return try JSONValue(parsing: bytes.span, maximumSize: bytes.count)
    }

    private static func members(_ value: JSONValue?) throws -> [JSONValue.Member] {
        guard case .object(let members)? = value else { throw TestFailure("the schema lacks a mapping") }
        return members
    }

    private static func properties(of definition: String) throws -> [JSONValue.Member] {
        let schema = try schema()
        return try members((definition.isEmpty ? schema : schema["$defs"]?[definition])?["properties"])
    }

    /// The words in the first column of the table below a heading.
    private static func words(below heading: String, of file: String) throws -> Set<String> {
        let section = try textOfPackageFile(file).split(separator: /\n##+\s/).first { $0.hasPrefix("\(heading)\n") }
        let rows = try #require(section, "no section '\(heading)' in \(file)").split(separator: "\n")
            .filter { $0.hasPrefix("| `") }
        return Set(
            rows.flatMap { row -> [String] in
                let cell = row.dropFirst(2).prefix { $0 != "|" }
                // What stands in backticks, up to the settings of a stage.
                return cell.split(separator: "`", omittingEmptySubsequences: false).enumerated()
                    .filter { $0.offset % 2 == 1 }.map { String($0.element.prefix { $0 != ":" }) }
            })
    }

    @Test(arguments: mappings)
    func theSchemaHasTheKeysOfTheDecoder(mapping: Mapping) throws {
        let properties = try Self.properties(of: mapping.definition)
        #expect(Set(properties.map(\.name)) == (try Self.expectedKeys(mapping)))
        // An editor shows it beside the key; a reference leads to one.
        #expect(properties.allSatisfy { $0.value["description"] != nil || $0.value["$ref"] != nil })
    }

    @Test(arguments: mappings)
    func theReferenceHasTheKeysOfTheDecoder(mapping: Mapping) throws {
        let keys = try Self.expectedKeys(mapping)
        guard let heading = mapping.heading else {
            let text = try textOfPackageFile(mapping.file)
            #expect(keys.allSatisfy { text.contains("`\($0)`") || text.contains("\($0):") }, "\(keys)")
            return
        }
        #expect(try Self.words(below: heading, of: mapping.file) == keys)
    }

    @Test func schemaAndReferenceHaveTheStagesOfTheRegistry() throws {
        for (names, definition, heading) in [
            (Registry.middlewareNames, "middleware-stage", "Middleware"),
            (Registry.policyNames, "policy-stage", "Policies"),
        ] {
            let forms = try #require(try Self.schema()["$defs"]?[definition]?["anyOf"])
            guard case .array(let elements) = forms else { throw TestFailure("'\(definition)' has no forms") }
            let properties = try Self.members(elements.last?["properties"])
            #expect(properties.map(\.name).sorted() == names)
            #expect(properties.allSatisfy { $0.value["description"] != nil })
            #expect(try Self.words(below: heading, of: "Docs/Reference/Stages.md") == Set(names))
        }
    }

    @Test func theSchemaAsksForExactlyOneHandler() throws {
        let handlers = Registry.handlerNames.map { JSONValue.object([.init("required", .array([.string($0)]))]) }
        guard case .array(let choices)? = try Self.schema()["$defs"]?["route"]?["oneOf"] else {
            throw TestFailure("a route has no choice of handlers")
        }
        #expect(Set(choices) == Set(handlers))
    }
}
