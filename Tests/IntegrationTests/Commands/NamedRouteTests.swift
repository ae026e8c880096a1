import TestSupport
import Testing
import XCallbackTesting

/// Requests for routes by name.
@Suite(.blocking)
struct NamedRouteTests {
    private let daemon: RunningDaemon
    private let site: DesktopSite

    init() throws {
        daemon = try RunningDaemon(
            """
            schemes: [notes]
            routes:
              - { route: "notes:/delete/:id", respond: { deleted: "{id}" } }
              - { route: notes:/delete/all, respond: { deleted: everything } }
              - route: notes:/tag
                public: true
                input: { tags: { type: list }, text: { type: string, required: false } }
                respond: { tags: "{tags}", text: "{text}" }
            """)
        site = try DesktopSite(socket: daemon.socket)
    }

    /// Otherwise, the text of the name would be the value.
    @Test(arguments: ["notes:/delete/:idd", "notes:/delete/:Id", "notes:/delete/*id", "notes:/delete{/:id}"])
    func aMisspeltNameIsNoURL(name: String) throws {
        for command in ["open", "call", "explain"] {
            let result = try site.run("xcallback", command, name, "--param", "id=7")
            #expect(result.status == 64, "\(result.output)")
            #expect(result.output.hasPrefix("xcallback: no route is called '\(name)'"), "\(result.output)")
            if !name.contains("{"), !name.contains("*") {
                #expect(result.output.contains("did you mean 'notes:/delete/:id'?"), "\(result.output)")
            }
        }
    }

    /// With the name as a URL, the value of the capture would be the capture's name.
    @Test func aNameWithCapturesIsNoURLWithoutParameters() throws {
        for command in ["open", "call"] {
            let result = try site.run("xcallback", command, "notes:/delete/:id")
            #expect(result.status == 64, "\(result.output)")
            #expect(result.output.hasPrefix("xcallback: notes:/delete/:id: "), "\(result.output)")
            #expect(result.output.hasSuffix("; nothing was sent\n"), "\(result.output)")
        }
        // A text that is not a route's name is a URL.
        expect(try site.run("xcallback", "open", "notes:/delete/:other").output, equals: "deleted=:other\n")
        expect(try site.run("xcallback", "open", "notes:/delete/7", "notes:/delete/8").status, equals: 0)
    }

    static let patterns = [
        #"my notes/\[x\]/größe"#, "über uns", #"a\:b\/c"#, #"q\?x#"#, #"100\%"#, "all", "list{/sorted}",
    ]

    @Test(arguments: patterns)
    func theExampleOfARouteOpensIt(pattern: String) throws {
        let daemon = try RunningDaemon("schemes: [ex]\nroutes: [{ route: 'ex:/\(pattern)', respond: { a: b } }]\n")
        let site = try DesktopSite(socket: daemon.socket)
        let page = try site.run("xcallback", "routes", "ex:/\(pattern)").output
        let example = String(page.split(separator: "\n").last ?? "")
        let opened = try site.run("sh", "-c", example)
        #expect(opened.status == 0 && opened.output == "a=b\n", "\(page)\(opened.output)")
    }

    /// A given parameter replaces that of the URL, and a list is given completely.
    @Test func parametersTakeThePlaceOfThoseOfTheURL() throws {
        let url = "notes:/tag?tags=a&text=old&tags=b"
        let result = try site.run(
            "xcallback", "open", url, "--param", "tags=c", "--param", "tags=d", "--param", "text=new & old")
        #expect(result.output == "tags=c\ntags=d\ntext=new & old\n", "\(result.output)")
        let one = try site.run("xcallback", "open", url, "--param", "text=new")
        #expect(one.output == "tags=a\ntags=b\ntext=new\n", "\(one.output)")
    }

    @Test func aPageOfARouteHasAllThatPeopleNeed() throws {
        let daemon = try RunningDaemon(
            """
            schemes: [ex]
            routes:
              - route: ex:/add/:id
                title: Add a note
                description: "Adds a note.\\n\\nTo the end."
                agent: add
                effect: { kind: add, idempotent: true, open-world: false }
                policies: [{ rate: 10/m }]
                input:
                  id: { type: int, min: 1, max: 9, description: "The note's\\nnumber." }
                  kind: { type: enum, values: [work, home], default: work }
                  text: { type: string, min-length: 2, max-length: 80 }
                  tags: { type: list, of: string, charset: a-z, required: false }
                  page: { type: url, schemes: [https, http] }
                respond: { id: "{id}" }
                returns: { id: { type: int, description: Its number. } }
            """)
        let page = try DesktopSite(socket: daemon.socket).run("xcallback", "routes", "ex:/add/:id")
        let lines = page.output.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(
            lines.filter { !$0.hasPrefix("place ") }.joined(separator: "\n") == """
                ex:/add/:id
                  Add a note

                  Adds a note.

                  To the end.

                access      private
                assistants  as add
                policies    rate
                handler     respond
                effect      add, idempotent, on this machine only
                parameters
                  id    int 1…9                         required  The note's number.
                  kind  enum work|home (default: work)  optional
                  text  string, 2…80 characters         required
                  tags  list of string of a-z           optional
                  page  url https|http                  required
                answer
                  id  int  always  Its number.
                example
                  xcallback open ex:/add/:id --param id=1 --param text=TEXT --param page=https://example.org/

                """)
    }

    /// A hidden route gets the same message as one that does not exist.
    @Test func routesTellsWhatAnOriginDoesNotReach() throws {
        let result = try site.run("xcallback", "routes", "--origin", "desktop", "notes:/delete/all")
        #expect(result.status == 6)
        #expect(
            result.output == "xcallback: requests of the origin 'desktop' cannot reach notes:/delete/all\n",
            "\(result.output)")
        let reached = try site.run("xcallback", "routes", "--origin", "desktop", "notes:/tag")
        #expect(reached.status == 0 && reached.output.hasPrefix("notes:/tag\n"), "\(reached.output)")
        let scheme = try site.run("xcallback", "routes", "--origin", "agent", "notes:")
        #expect(scheme.status == 0, "\(scheme.output)")
    }

    @Test func aValueThatIsTooLongIsOfTheURL() throws {
        // A blank has three bytes in a URL.
        try site.directory.write(String(repeating: " ", count: 700_000), to: "long")
        let sent = try site.run(
            "xcallback", "open", "notes:/tag", "--stdin", "tags", input: site.directory.path(of: "long"))
        #expect(sent.status == 64)
        #expect(
            sent.output == "xcallback: the URL has 2100016 bytes: daemons accept at most 1048576 "
                + "(limits: line); nothing was sent\n", "\(sent.output)")
    }

    /// A suggested command can be run verbatim.
    @Test func aURLWithoutACommandIsProposedAsAShellTakesIt() throws {
        let url = "notes:/tag?tags=it's&text=$HOME"
        let result = try site.run("xcallback", url)
        #expect(result.status == 64)
        let lines = result.output.split(separator: "\n").map(String.init)
        #expect(lines.first == "xcallback: '\(url)' is a URL, not a command; to open it:", "\(result.output)")
        let proposed = try site.run("sh", "-c", lines.last ?? "")
        #expect(proposed.output == "tags=it's\ntext=$HOME\n", "\(proposed.output)")
    }

    @Test func noValueRunsAnotherRouteAndExplainSaysSo() throws {
        let opened = try site.run("xcallback", "open", "notes:/delete/:id", "--param", "id=all")
        #expect(opened.status == 6 && opened.output.contains("Another route answers this URL"), "\(opened.output)")
        let explained = try site.run("xcallback", "explain", "notes:/delete/:id", "--param", "id=all")
        #expect(
            explained.output.contains(
                "note: notes:/delete/:id does not answer this URL, so 'open' with its name fails"),
            "\(explained.output)")
        let other = try site.run("xcallback", "explain", "notes:/delete/:id", "--param", "id=7")
        #expect(!other.output.contains("note: "), "\(other.output)")
    }
}
