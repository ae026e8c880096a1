import TestSupport
import Testing
import XCallbackRouter
import XCallbackTesting
import XCallbackURL
import XCallbackWire

/// Links as programs and people write them: `Tests/Links`.
@Suite(.blocking)
struct LinkTests {
    /// A row of a table.
    struct Link {
        let url: String
        let syntax: String
        /// The other columns.
        let rest: [String]

        /// The scheme in lower case.
        var scheme: String { url.prefix { $0 != ":" }.lowercased() }

        /// Reads a table.
        static func table(_ name: String) throws -> [Link] {
            try textOfFile("\(packageFolder)/Tests/Links/\(name)").split(separator: "\n").filter { !$0.hasPrefix("#") }
                .map { line in
                    let columns = line.split(separator: "\t").map(String.init)
                    return Link(url: columns[0], syntax: columns[1], rest: Array(columns.dropFirst(2)))
                }
        }
    }

    /// A configuration with one line of settings for each scheme, whose routes answer with the values of the rows.
    private static func configuration(_ links: [Link]) -> String {
        var settings: [String: String] = [:]
        var names: [String: [String]] = [:]
        var routes: [String] = []
        for link in links {
            settings[link.scheme] = link.syntax == "callback" ? "" : " { syntax: \(link.syntax) }"
            guard let route = link.rest.first else { continue }
            if names[route] == nil { routes.append(route) }
            for value in link.rest.dropFirst() {
                let name = String(value.prefix { $0 != "=" })
                if names[route]?.contains(name) != true { names[route, default: []].append(name) }
            }
        }
        let schemes = settings.sorted { $0.key < $1.key }.map { "  \($0.key):\($0.value)\n" }.joined()
        let list = routes.map { route in
            // No answer has an item whose name begins with `x-`.
            let items = names[route, default: []].map { name in
                "'\(name)': '{\(name == "Amz-Signature" ? "X-Amz-Signature" : name)}'"
            }
            let password = "input: { '@password': { required: false } }, "
            let input = names[route]?.contains("@password") == true ? password : ""
            return "  - { route: '\(route)', public: true, \(input)respond: { \(items.joined(separator: ", ")) } }\n"
        }
        return "schemes:\n\(schemes)routes:\n\(list.joined())"
    }

    /// The values of an answer as in the table.
    private static func values(_ answer: String?) throws -> [String] {
        let answer = try ActionURL(answer ?? "")
        #expect(answer.segments == ["success"])
        return answer.items.map { item in
            let value = (item.value ?? "").replacing("\r\n", with: "\\r\\n")
            return "\(item.name)=\(value)"
        }
    }

    @Test(arguments: ["t:*x", "t:/*x", "t:a*x"])
    func aLinkWithoutTextEndsNothing(route: String) throws {
        let client = try RouterClient(
            of: RunningDaemon("schemes: { t: { syntax: text } }\nroutes: [{ route: '\(route)', respond: {} }]"))
        for url in ["t://", "t:", "t:///", "t://"] {
            for origin in ["socket", "desktop"] as [JSONValue] {
                let reply = try client.call("Open", ["url": .string(url), "origin": origin])
                #expect(reply["outcome"]?.text != nil)
            }
            _ = try client.call("Explain", ["url": .string(url)])
        }
    }

    @Test func theValuesOfEachLinkArrive() throws {
        let links = try Link.table("links.tsv")
        #expect(links.count >= 89)
        #expect(links.count { $0.syntax == "url" } >= 20)
        let daemon = try RunningDaemon(Self.configuration(links))
        let site = try DesktopSite(socket: daemon.socket)
        let client = try daemon.connect()
        let output = try site.start(["xcallback", "open"] + links.map(\.url), to: "opened")
        let status = try output.wait()
        let opened = try site.directory.text(of: "opened")
        #expect(status == 0, "\(opened)")
        for link in links {
            let values = Array(link.rest.dropFirst()).sorted()
            expect(try Self.values(client.ask(link.url)).sorted(), equals: values, "\(link.url)")
            let handled = try site.run("xcallback", "handle", "--", link.url)
            #expect(handled.status == 0, "\(link.url): \(handled.output)")
            #expect(handled.output.isEmpty, "\(link.url): \(handled.output)")
        }
    }

    @Test(arguments: [Origin.socket, .desktop, .agent])
    func otherLinksAreRefused(origin: Origin) throws {
        let refused = try Link.table("refused.tsv")
        let schemes =
            "ssh: { syntax: url }, https: { syntax: url }, vnc: { syntax: url }, rdp: { syntax: url }, irc: { syntax: url }"
        let before = "schemes: [notes]\nroutes: [{ route: notes:/read, public: true, agent: true, respond: {} }]\n"
        let daemon = try RunningDaemon(before)
        let router = try RouterClient(daemon.socket)
        func answer(to link: Link) throws -> (code: Int?, message: String) {
            let reply = try router.call("Open", ["url": .string(link.url), "origin": .string(origin.rawValue)])
            return (reply["code"]?.integer, reply["message"]?.text ?? "")
        }
        let callbacks = refused.filter { $0.url.contains("https://evil") || $0.url.contains("HTTPS://evil") }
        for link in callbacks where link.url.contains("=https") || link.url.contains("=HTTPS") {
            expect(try answer(to: link).code, equals: 400, "\(link.url)")
        }
        try daemon.reload(
            "schemes: { notes: , \(schemes), mpv: { syntax: text } }\nroutes:\n"
                + "  - { route: notes:/read, public: true, agent: true, respond: {} }\n"
                + "  - { route: 'https://*all', public: true, respond: {} }\n"
                + "  - { route: 'ssh://*all', public: true, respond: {} }\n"
                + "  - { route: 'mpv:*all', public: true, respond: {} }\n")
        for link in refused {
            let (code, message) = try answer(to: link)
            #expect(code == 400 && message.contains(link.rest[0]), "\(link.url): \(code ?? 0) \(message)")
        }
    }
}

extension LinkTests {
    /// A program takes the URL as one argument, its parts as variables, and gives the parameters back.
    @Test func programsGetTheParts() throws {
        let daemon = try RunningDaemon(
            """
            schemes: { ssh: { syntax: url } }
            routes:
              - route: ssh://:host{/*path}
                middleware: [{ exec: [cat] }]
                env: { FORMAT: '%s|%s|%s|%s|%s|%s' }
                exec: [sh, -c, 'printf "$FORMAT" "$1" "$XCALLBACK_USER" "$XCALLBACK_HOST" "$XCALLBACK_PORT" "$XCALLBACK_FRAGMENT" "$2"', sh, "{@url}", "{@action}"]
            """)
        let answer = try ActionURL(try daemon.connect().ask("ssh://ann@Host.Example.:22/a//b?X-Sig=a#top") ?? "")
        #expect(
            answer.items["result"]
                == "ssh://ann@Host.Example.:22/a//b?X-Sig=a#top|ann|host.example|22|top|//host.example/a//b")
    }
}
