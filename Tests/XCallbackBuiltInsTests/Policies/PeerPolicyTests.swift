import Glibc
import TestSupport
import Testing
import XCallbackBuiltIns
import XCallbackRouter
import XCallbackTesting

/// The policies on who has sent a request, beside its user.
struct PeerPolicyTests {
    private static func router(_ policies: String) throws -> Configured {
        try Configured(
            routes: """
                - route: notes:/a
                  public: true
                  policies: \(policies)
                  respond: { ok: 1 }
                - route: notes:/there
                  public: true
                  redirect: "notes:/a"
                """)
    }

    private static func faults(_ policies: String) -> [String] {
        Configured.faults(of: "schemes: [notes]\nroutes:\n- route: /a\n  respond:\n  policies: \(policies)\n")
    }

    private static func refusal(_ policy: String, _ reason: String) -> String {
        "403 Policy '\(policy)' refuses the request: \(reason)."
    }

    // MARK: - Groups

    static let groups: [(names: String, groupID: UInt32, others: [UInt32]?, passes: Bool)] = [
        ("100", 100, nil, true), ("100", 101, nil, false), ("[7, 100]", 1, [5, 7], true),
        ("[7, 100]", 1, [5, 8], false),
        ("root", 0, nil, true), ("root", 1, [2, 0], true), ("root", 1, [], false),
    ]

    @Test(arguments: groups)
    func onlyMembersOfTheGroupsPass(names: String, groupID: UInt32, others: [UInt32]?, passes: Bool) throws {
        var router = try Self.router("[{ group: \(names) }]")
        router.host.groups = others
        let peer = Peer(userID: 1000, groupID: groupID, processID: 1)
        let reason =
            others == nil
            ? "the groups of the client are unknown, or more than 1024" : "the user is not in an allowed group"
        expect(try router.result(of: "notes:/a", from: peer), equals: (passes ? "ok=1" : Self.refusal("group", reason)))
    }

    // MARK: - Executables

    @Test func aProgramIsTheFileThatItsProcessRuns() throws {
        let directory = try TemporaryDirectory()
        let program = "/proc/self/exe"
        symlink(program, directory.path(of: "link"))
        for (path, passes) in [
            (program, true), (directory.path(of: "link"), true), ("[/bin/sh, \(program)]", true), ("/bin/sh", false),
            (directory.path(of: "none"), false),
        ] {
            var router = try Self.router("[{ executable: \(path) }]")
            router.host.process = getpid()
            let answer = passes ? "ok=1" : Self.refusal("executable", "the program is not allowed")
            expect(try router.result(of: "notes:/a"), equals: answer, "\(path)")
        }
    }

    private static let unified = ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"].first {
        access("\($0)/cgroup.procs", W_OK) == 0
    }

    /// Each process of a user can choose the name of its unit.
    @Test(.enabled(if: unified != nil, "only root may make a control group"))
    func theNameOfAUnitCountsOnlyIfItIsAdmitted() throws {
        let unit = try #require(Self.unified) + "/app-org.example.App-\(getpid()).scope"
        mkdir(unit, 0o755)
        defer { rmdir(unit) }
        let program = try ChildProcess(["/bin/sh", "-c", "echo $$ >\(unit)/cgroup.procs; exec sleep 600"])
        let path = "0::/app-org.example.App-"
        try waitUntil("the program is in its unit") { try textOfFile("/proc/\(program.id)/cgroup").contains(path) }
        for (keys, passes) in [("", false), (", advisory: false", false), (", advisory: true", true)] {
            var router = try Self.router("[{ app: { ids: org.example.App\(keys) } }]")
            router.host.process = program.id
            let reason = "only the name of its unit says which application it is from"
            let answer = passes ? "ok=1" : Self.refusal("app", reason)
            expect(try router.result(of: "notes:/a"), equals: answer, "\(keys)")
        }
        program.send(signal: SIGKILL)
        try program.wait()
    }

    @Test(arguments: ["executable", "app"])
    func nobodyPassesWhoseProcessIsNotKnown(policy: String) throws {
        var router = try Self.router("[{ \(policy): \(policy == "app" ? "org.example.App" : "/bin/sh") }]")
        let kind = policy == "app" ? "application" : "program"
        let unknown = Self.refusal(policy, "cannot identify its \(kind)")
        expect(try router.result(of: "notes:/a"), equals: unknown)
    }

    @Test(arguments: ["executable", "app"], ["a", "there"])
    func thePeerIsOnlyTheOpenerOfWhatComesThroughTheDesktop(policy: String, action: String) throws {
        var router = try Self.router("[{ \(policy): \(policy == "app" ? "org.example.App" : "/proc/self/exe") }]")
        router.host.process = getpid()
        let kind = policy == "app" ? "application" : "program"
        expect(
            try router.result(of: "notes:/\(action)", origin: .desktop),
            equals: Self.refusal(policy, "it came through the desktop, which hides its \(kind)"))
    }

    // MARK: - Sources and origins

    static let sources: [(names: String, query: String, refusal: String?)] = [
        ("Editor", "?x-source=Editor", nil), ("[Editor, Shell]", "?x-source=She%6Cl", nil),
        ("Editor", "?x-source=editor", "the source is not allowed"), ("Editor", "", "x-source is missing"),
        ("Editor", "?X-Source=Editor", "x-source is missing"), ("Editor", "?x-source", "the source is not allowed"),
    ]

    @Test(arguments: sources)
    func onlyTheSourcesNamedPass(names: String, query: String, refusal: String?) throws {
        var router = try Self.router("[{ source: \(names) }]")
        let answer = refusal.map { Self.refusal("source", $0) } ?? "ok=1"
        expect(try router.result(of: "notes:/a\(query)"), equals: answer)
        expect(try router.result(of: "notes:/there\(query)"), equals: answer)
    }

    static let origins: [(names: String, action: String, origin: Origin, passes: Bool)] = [
        ("socket", "a", .socket, true), ("socket", "a", .desktop, false), ("socket", "there", .socket, false),
        ("internal", "there", .desktop, true), ("[desktop, socket]", "a", .desktop, true),
        ("internal", "a", .socket, false),
    ]

    @Test(arguments: origins)
    func onlyTheWaysNamedPass(names: String, action: String, origin: Origin, passes: Bool) throws {
        var router = try Self.router("[{ origin: \(names) }]")
        let answer = passes ? "ok=1" : Self.refusal("origin", "the origin is not allowed")
        expect(try router.result(of: "notes:/\(action)", origin: origin), equals: answer)
        let explanation = router.configuration.pipeline.explain(
            "notes:/\(action)".utf8.span, from: Configured.peer, origin: origin)
        let isExplainedAsError = if case .error = explanation.response { true } else { false }
        #expect(isExplainedAsError != passes)
    }

    // MARK: - Faults

    static let faulty: [(String, String)] = [
        ("[group]", "5:14: expected a group, or a list of groups after 'group:'"),
        (
            "[{ group: no-group-of-this-name }]",
            "5:23: unknown group 'no-group-of-this-name': expected a name or a number"
        ),
        ("[{ group: 4294967295 }]", "5:23: unknown group '4294967295': expected a name or a number"),
        ("[{ group: [] }]", "5:23: expected at least one group"),
        ("[executable]", "5:14: expected the path of a program, or a list of paths after 'executable:'"),
        ("[{ executable: notes }]", "5:28: expected the absolute path of a program, found 'notes'"),
        ("[{ executable: [] }]", "5:28: expected at least one program"),
        ("[app]", "5:14: expected the id of an application, or a list of ids after 'app:'"),
        ("[{ app: [] }]", "5:21: expected at least one application"),
        ("[{ app: { advisory: true } }]", "5:21: expected the key 'ids' in an 'app' policy"),
        (
            "[{ app: evince.desktop }]",
            "5:21: expected the id of an application, such as org.gnome.Evince or snap.firefox, found 'evince.desktop'"
        ),
        ("[source]", "5:14: expected a value of x-source, or a list of values after 'source:'"),
        ("[{ source: [] }]", "5:24: expected at least one value of x-source"),
        ("[{ origin: [] }]", "5:24: expected at least one origin"),
        ("[origin]", "5:14: expected desktop, socket, internal or agent, or a list of them after 'origin:'"),
    ]

    @Test(arguments: faulty)
    func aPolicyThatCannotBeMeantIsAFault(policies: String, fault: String) {
        #expect(Self.faults(policies) == [fault])
    }
}
