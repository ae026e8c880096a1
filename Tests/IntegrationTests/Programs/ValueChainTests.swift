import Glibc
import Testing
import XCallbackTesting
import XCallbackWire

/// Parameters of each kind pass through a real daemon, programs and receivers, and return unchanged.
///
/// `CHAINS=1000 SEED=7 swift test --filter ValueChainTests` uses that number of random queries, and another seed.
@Suite(.blocking, .timeLimit(.minutes(10)))
struct ValueChainTests {
    private static let own = "xcallback://x-callback-url/success"
    private static let input =
        "{ l: { type: list, required: false }, s: { type: string, required: false }, b: { type: bool, required: false } }"
    private static let routes = """
          - { route: run:/respond, input: \(input), respond: { u: "{u}", l: "{l}", s: "{s}", b: "{b}" } }
          - { route: run:/redirect, input: \(input), redirect: "run:/respond?u={u}&l={l}&s={s}&b={b}" }
          - { route: run:/json, input: \(input), exec: [DIR/json], output: json }
          - { route: run:/lines, input: \(input), exec: [DIR/lines], output: lines }
          - route: run:/middleware
            input: \(input)
            middleware: [{ exec: [cat] }]
            respond: { u: "{u}", l: "{l}", s: "{s}", b: "{b}" }
          - { route: run:/deliver, input: \(input), deliver: editor }
          - { route: run:/needs, input: { l: { type: list } }, policies: [{ require: l }], redirect: "run:/has?l={l}" }
          - { route: run:/has, input: { l: { type: list } }, respond: { l: "{l}" } }
          - route: run:/variable
            input: \(input)
            exec: [sh, -c, 'printf %s "${{XCALLBACK_PARAM_L-unset}}"']

        """
    /// Programs that write the parameters that they read, as an object and as lines.
    private static let programs = [
        "json": #"sed 's/.*"parameters":\({.*}\),"source":.*/\1/'"#,
        "lines": """
        exec python3 -c '
        import json, sys
        for name, value in json.load(sys.stdin)["parameters"].items():
            values = value if isinstance(value, list) else [value]
            if not values: print(name)
            for value in values: print(name if value is None else name + "=" + (value if isinstance(value, str) else json.dumps(value)))
        '
        """,
    ]

    private static let queries = [
        "", "u", "u=", "u=a", "u=a&u=b", "u=a&u&u=", "u&u", "l", "l=", "l=a&l=b", "l=a%2Cb&l=c&l=", "s=", "s=-",
        "b=false",
        "u=%25%2C%26%3D%2B%20%C3%A9%F0%9F%98%80&l=%25%2C%26%3D%2B%20%C3%A9%F0%9F%98%80&s=%25%2C%26%3D%2B%20%C3%A9",
        "u=%7B%22parameters%22%3A%7B%7D%2C%22source%22%3Anull&s=%27%5C%22%60%24%28id%29", "u=--&l=-&l=--&s=-x",
        "u=%0A&u=%0D%0A&l=%0A&s=%0Aa%0A", "u=null&l=null&l=%5B%5D&s=%7Bu%7D", "u=%2541&l=%252C&s=%E2%80%A8%EF%BF%BF",
    ]

    @Test func whatWentInComesOut() throws {
        let site = try ExecSite(Self.routes, programs: Self.programs)
        let receiver = try RouterClient(site.daemon.socket)
        let asker = try RouterClient(site.daemon.socket)
        try receiver.receive("editor")
        for query in Self.queries + Self.queriesByChance() {
            let url = Self.own + (query.isEmpty ? "" : "?\(query)")
            for action in ["respond", "redirect", "json", "middleware", "lines"]
            where action != "lines" || !query.contains("%0A") {
                let answer = try site.ask("\(action)?\(query)")
                #expect(answer == url, "\(action)?\(query)")
            }
            let next = "run:/respond" + (query.isEmpty ? "" : "?\(query)")
            #expect(try site.ask("respond?\(query)&x-success=run:/respond") == next)

            try asker.send("Open", ["url": .string("run:/deliver?\(query)")])
            let request = try receiver.request()
            _ = try asker.respondWithOwnItems(to: request, through: RouterClient(site.daemon.socket))
            #expect(try asker.reply()["answer"]?.text == url)
        }
    }

    /// Random queries in the daemon's own spelling, with texts that a careless parser would misread.
    private static func queriesByChance() -> [String] {
        func number(_ variable: String) -> Int? { getenv(variable).flatMap { Int(String(cString: $0)) } }
        var generator = SeededGenerator(seed: UInt64(number("SEED") ?? 1))
        let pieces = [
            "a", "%2C", "%26", "%3D", "%25", "%2B", "%20", "%C3%A9", "%F0%9F%98%80", "-", "%0A", "%22", "%27", "%5C",
            "%5B%5D", "%7Bu%7D", "null", "%01", "%2F", "..", "%24%28id%29",
        ]
        return (0..<(number("CHAINS") ?? 20)).map { _ in
            func texts(_ count: Int) -> [String] {
                (0..<count).map { _ in
                    (0..<generator.below(4)).map { _ in pieces[generator.below(pieces.count)] }.joined()
                }
            }
            let lists = ["u", "l"].flatMap { name in
                generator.below(4) == 0 ? [name] : texts(generator.below(4)).map { "\(name)=\($0)" }
            }
            return (lists + texts(generator.below(2)).map { "s=\($0)" }).joined(separator: "&")
        }
    }

    static let lists: [(query: String, items: String, variable: String)] = [
        ("l", "l", ""), ("l=", "l=", ""), ("l=a,b%2Fc", "l=a&l=b%2Fc", "a/b/c"), ("l.0=a,b&l.1=", "l=a%2Cb&l=", "a,b/"),
    ]

    @Test(arguments: lists)
    func anEmptyListIsThere(query: String, items: String, variable: String) throws {
        let site = try ExecSite(Self.routes, programs: Self.programs)
        #expect(try site.ask("needs?\(query)") == "\(Self.own)?\(items)")
        #expect(
            try site.ask("variable?\(query)")
                == result(variable.replacing("/", with: "%2F").replacing(",", with: "%2C")))
        #expect(try site.ask("variable") == result("unset"))
        #expect(try site.ask("needs?m=1")?.contains("errorCode=403") == true)
    }
}

extension RouterClient {
    /// Responds to a request with the request's own items.
    fileprivate func respondWithOwnItems(to request: JSONValue, through client: RouterClient) throws -> JSONValue {
        try client.call(
            "Respond",
            ["id": request["id"] ?? .null, "outcome": "success", "items": request["items"] ?? .null, "nothing": .null])
    }
}
