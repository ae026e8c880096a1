import Testing
import XCallbackTesting

/// Routes that are asked for by their names.
@Suite(.blocking, .timeLimit(.minutes(10)))
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
            """)
        site = try DesktopSite(socket: daemon.socket)
    }

    /// Else the text of the name would be the value.
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

    @Test func noValueRunsAnotherRouteAndExplainSaysSo() throws {
        let opened = try site.run("xcallback", "open", "notes:/delete/:id", "--param", "id=all")
        #expect(opened.status == 6 && opened.output.contains("Another route answers this URL"), "\(opened.output)")
        let explained = try site.run("xcallback", "explain", "notes:/delete/:id", "--param", "id=all")
        #expect(
            explained.output.contains(
                "note: notes:/delete/:id does not answer this URL, so that 'open' with its name ends"),
            "\(explained.output)")
        let other = try site.run("xcallback", "explain", "notes:/delete/:id", "--param", "id=7")
        #expect(!other.output.contains("note: "), "\(other.output)")
    }
}
