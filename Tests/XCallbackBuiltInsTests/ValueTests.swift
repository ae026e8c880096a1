import Glibc
import Testing
import XCallbackBuiltIns
import XCallbackPrograms
import XCallbackRouter
import XCallbackTesting
import XCallbackURL
import XCallbackWire

/// Parameters of each kind go through every handler, and come out as they went in.
///
/// `VALUES=100000 SEED=7 swift test --filter ValueTests` takes as many values, and others.
struct ValueTests {
    private static let input = """
          input:
            l: { type: list, required: false }
            s: { type: string, required: false }
            b: { type: bool, required: false }
            n: { type: list, of: int, required: false }
        """
    private static let configuration = """
        schemes: [notes]
        routes:
        - route: notes:/respond
        \(input)
          respond: { u: "{u}", l: "{l}", s: "{s}", b: "{b}", n: "{n}" }
        - route: notes:/redirect
        \(input)
          redirect: "notes:/respond?u={u}&l={l}&s={s}&b={b}&n={n}"
        - route: notes:/program
        \(input)
          exec: [echo]
        - route: notes:/receiver
        \(input)
          deliver: editor
        - route: notes:/needs
          input: { l: { type: list }, n: { type: list, of: int, required: false } }
          policies: [{ require: l }]
          redirect: "notes:/needed?l={l}"
        - route: notes:/needed
          input: { l: { type: list } }
          respond: { l: "{l}" }
        """

    /// How many values are tried, and from which number on they are made.
    private static let (count, seed) = (number("VALUES") ?? 2000, number("SEED") ?? 1)

    private static func number(_ variable: String) -> Int? { getenv(variable).flatMap { Int(String(cString: $0)) } }

    @Test func whatWentInComesOut() throws {
        var router = try ValueRouter(Self.configuration)
        for number in Self.seed..<Self.seed + Self.count {
            var generator = SeededGenerator(seed: UInt64(number))
            let values = Values(&generator)
            let query = values.query(&generator)
            let known = values.withoutOthers
            let differing = try [
                "respond": router.items(of: "notes:/respond?\(query)") == known,
                "redirect": router.items(of: "notes:/redirect?\(query)") == known,
                "x-success": router.chained("notes:/respond?\(query)") == known,
                "json": router.items(of: "notes:/program?\(query)", Self.asJSON) == values,
                "parameters": router.items(of: "notes:/receiver?\(query)", Self.asJSON) == values,
                "items": router.items(of: "notes:/receiver?\(query)", Self.asItems) == values,
                "require": values["l"].isEmpty
                    || router.items(of: "notes:/needs?\(query)")["l"] == values["l"],
            ].filter { !$0.value }
            guard differing.isEmpty else {
                Issue.record("SEED=\(number): \(differing.keys.sorted()) lose something of '\(query)'")
                return
            }
        }
    }

    /// A program that writes the parameters as it has read them.
    private static func asJSON(_ message: JSONValue) throws -> QueryItems {
        try ProgramOutput.json.items(of: (message["parameters"] ?? .null).bytes)
    }

    /// A receiver that responds with the items as it has received them.
    private static func asItems(_ message: JSONValue) throws -> QueryItems {
        var items = QueryItems()
        for item in message["items"]?.elements ?? [] { items.append(item["name"]?.text ?? "", item["value"]?.text) }
        return items
    }
}

/// The values of some parameters by name; nil for a name alone.
private struct Values: Equatable {
    private var values: [String: [String?]] = [:]

    static func == (first: Values, second: Values) -> Bool { first.values == second.values }

    /// The values of a parameter; none if it is absent.
    subscript(name: String) -> [String?] { values[name] ?? [] }

    init(_ items: QueryItems) {
        for item in items { values[item.name, default: []].append(item.value) }
    }

    /// Makes values by chance: undeclared ones, and what the routes declare.
    init(_ generator: inout SeededGenerator) {
        var names = ["u"]
        if generator.below(2) == 0 { names.append(Self.names[generator.below(Self.names.count)]) }
        for name in names {
            switch generator.below(6) {
            case 0: break
            case 1: values[name] = name.isEmpty ? nil : [nil]
            case 2: values[name] = [""]
            case 3: values[name] = [.chance(&generator)]
            case 4 where !name.isEmpty: values[name] = [.chance(&generator), nil, .chance(&generator)]
            default: values[name] = (0..<2 + generator.below(3)).map { _ in .chance(&generator) }
            }
        }
        for name in ["l", "n"] {
            switch generator.below(4) {
            case 0: break
            case 1: values[name] = [nil]
            case 2 where name == "l": values[name] = [""]
            default:
                values[name] = (0...generator.below(3)).map { _ in
                    name == "n" ? "\(generator.below(100) - 50)" : .chance(&generator)
                }
            }
        }
        if generator.below(3) > 0 { values["s"] = [.chance(&generator)] }
        if generator.below(3) > 0 { values["b"] = [generator.below(2) == 0 ? "true" : "false"] }
    }

    private static let names = ["v", "a b", "é", "a&b", "", "%", "+", "X", "v.0", "\"", "\\", "😀"]

    /// What templates name.
    var withoutOthers: Values {
        var known = self
        known.values = values.filter { ["u", "l", "s", "b", "n"].contains($0.key) }
        return known
    }

    /// The values as a query, in one of the ways in which each can be written.
    func query(_ generator: inout SeededGenerator) -> String {
        var items: [String] = []
        for (name, values) in values.sorted(by: { $0.key < $1.key }) {
            let isList = name == "l" || name == "n"
            let texts = values.compactMap { $0?.writtenForQuery }
            switch generator.below(3) {
            case 0 where isList && !texts.isEmpty: items.append("\(name)=\(texts.joined(separator: ","))")
            case 1 where isList && !texts.isEmpty:
                items += texts.enumerated().map { "\(name).\($0.offset)=\($0.element)" }
            case 2 where name == "b" && texts == ["true"]: items.append(name)
            default:
                items += values.map { value in
                    value.map { "\(name.writtenForQuery)=\($0.writtenForQuery)" } ?? name.writtenForQuery
                }
            }
        }
        // What is declared as one text is absent without a value.
        if values["s"] == nil, generator.below(2) == 0 { items.append("s") }
        return items.joined(separator: "&")
    }
}

extension String {
    private static let pieces = [
        "a", "B", ",", "&", "=", "%", "%41", "%2C", "+", " ", "é", "😀", "0", "-", "--", "\n", "\r\n", "\"", "'", "\\",
        "#", "/", "..", "{", "}", "{u}", "null", "[]", "\u{1}", "\u{301}", "\u{2028}", "\u{10FFFF}", ";", "?", ".",
    ]

    /// A text that means something to a careless reader.
    fileprivate static func chance(_ generator: inout SeededGenerator) -> String {
        (0..<generator.below(5)).map { _ in pieces[generator.below(pieces.count)] }.joined()
    }

    /// The text in a query.
    fileprivate var writtenForQuery: String {
        var buffer = ByteBuffer()
        buffer.append(percentEncoding: utf8.span)
        return String(decoding: buffer.contents, as: UTF8.self)
    }
}

/// A router with one client, whose programs and receivers answer at once.
private struct ValueRouter {
    private let pipeline: Pipeline
    private let host = TestHost()
    private var execution = Execution(peer: Configured.peer, origin: .socket)

    init(_ text: String) throws {
        pipeline = try Configured(text).configuration.pipeline
    }

    /// The items of an answer; a function tells what a program or a receiver responds to the message that it reads.
    mutating func items(
        of url: String, _ respond: (JSONValue) throws -> QueryItems = { _ in throw TestFailure("a stage waits") }
    ) throws -> Values {
        Values(try ActionURL(answer(to: url, respond)).items)
    }

    /// What comes out behind a callback that leads to the same route.
    mutating func chained(_ url: String) throws -> Values {
        let callback = String(url.prefix { $0 != "?" })
        let next = try answer(to: "\(url)&x-success=\(callback)")
        guard next.hasPrefix(callback) else { throw TestFailure("the answer is \(next)") }
        return try items(of: next)
    }

    private mutating func answer(
        to url: String, _ respond: (JSONValue) throws -> QueryItems = { _ in throw TestFailure("a stage waits") }
    ) throws -> String {
        var output = ByteBuffer()
        let pending = execution.answer(
            url.utf8.span, from: Configured.peer, origin: .socket, in: pipeline, host, into: &output)
        if let pending {
            execution.resume(with: .handled(.success(try respond(try message()))))
            guard execution.advance(in: pipeline, host) else { throw TestFailure("a second stage waits") }
            execution.write(pending, into: &output)
        }
        let answer = String(decoding: output.contents, as: UTF8.self)
        if answer.contains("errorCode") { throw TestFailure("\(url) is answered with \(answer)") }
        return answer
    }

    /// What a program or a receiver reads.
    private mutating func message() throws -> JSONValue {
        var bytes: [UInt8] = []
        if let handler = execution.deliveringHandler {
            let request = execution.request
            handler.write(messageOf: request, id: "1".utf8.span, limit: .seconds(1), isNested: false, to: &bytes)
            return try JSONValue(parsing: bytes.span, maximumSize: .max)["request"] ?? .null
        }
        guard case .handle(_, let request)? = execution.asyncStage else { throw TestFailure("a stage waits") }
        let kinds = ParameterKinds(types: [("b", .boolean), ("n", .integer)], lists: ["l", "n"])
        return .object(request.members(kinds))
    }
}
