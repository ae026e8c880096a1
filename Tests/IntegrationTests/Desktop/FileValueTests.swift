import Glibc
import TestSupport
import Testing
import XCallback
import XCallbackTesting
import XCallbackWire

/// Parameters of the type `file`, with the real daemon and the real command.
@Suite(.blocking)
struct FileValueTests {
    private let directory: TemporaryDirectory
    private let folder: String
    private let daemon: RunningDaemon

    init() throws {
        directory = try TemporaryDirectory()
        folder = try #require(realPathOf(directory.path))
        for name in ["docs/a b.txt", "docs/-rf", "docs/line\nend", "docs/sub/e\u{301}", "outside"] {
            try directory.write("text", to: name)
        }
        for (name, target) in [
            ("docs/in", "a b.txt"), ("docs/whole", "\(folder)/docs/a b.txt"), ("docs/out", "../outside"),
            ("docs/up", ".."), ("linked", "docs"),
        ] { symlink(target, directory.path(of: name)) }
        mkfifo(directory.path(of: "docs/pipe"), 0o600)
        symlink("/dev/null", directory.path(of: "docs/device"))
        daemon = try RunningDaemon(
            """
            schemes: [open]
            routes:
              - route: open:/file
                public: true
                agent: open_file
                description: Opens a file.
                folder: \(directory.path)/linked
                input: { file: { type: file, required: false }, more: { type: list, of: file, required: false } }
                respond: { told: "{file}{more}" }
              - { route: "open:/any", input: { file: file }, respond: { told: "{file}" } }
              - { route: "open:/through", public: true, redirect: "open:/any?file={name}" }
              - { route: "open:/at/:file", input: { file: file }, respond: { told: "{file}" } }
            """)
    }

    /// Values with the paths that the user's own programs get, and links and assistants: nil for a 422, and `@` is the folder.
    static let values: [(value: String, own: String?, others: String?)] = [
        ("@/docs/a b.txt", "@/docs/a b.txt", "@/docs/a b.txt"), ("a b.txt", "@/docs/a b.txt", "@/docs/a b.txt"),
        ("@/linked/a b.txt", "@/docs/a b.txt", "@/docs/a b.txt"), ("-rf", "@/docs/-rf", "@/docs/-rf"),
        ("line\nend", "@/docs/line\nend", "@/docs/line\nend"), ("sub/../in", "@/docs/a b.txt", "@/docs/a b.txt"),
        ("sub/e\u{301}", "@/docs/sub/e\u{301}", "@/docs/sub/e\u{301}"), ("sub/\u{e9}", nil, nil),
        ("@/docs//sub", "@/docs/sub", "@/docs/sub"), (".", "@/docs", "@/docs"), ("@/docs", "@/docs", "@/docs"),
        ("file://@/docs/a%20b.txt", "@/docs/a b.txt", "@/docs/a b.txt"),
        ("file:@/docs/line%0Aend", "@/docs/line\nend", "@/docs/line\nend"),
        ("FILE://localhost@/docs/in", "@/docs/a b.txt", "@/docs/a b.txt"), ("file://host@/docs/in", nil, nil),
        ("file:docs", nil, nil), ("file:@/docs/in%00", nil, nil), ("file:@/docs/%FF", nil, nil),
        // A link with an absolute target could lead anywhere.
        ("whole", "@/docs/a b.txt", nil), ("out", "@/outside", nil), ("up/outside", "@/outside", nil),
        ("../outside", "@/outside", nil), ("@/outside", "@/outside", nil), ("@/docs/../outside", "@/outside", nil),
        ("@/docsx", nil, nil), ("/", "/", nil), ("device", nil, nil), ("pipe", nil, nil), ("/dev/null", nil, nil),
        ("nothing", nil, nil), ("/proc/self/exe", nil, nil), ("/proc/self/fd/0", nil, nil), ("", nil, nil),
    ]

    @Test func aFileMustBeWhereItMay() async throws {
        let client = Client(socket: daemon.socket)
        func told(_ url: String, _ value: String, from origin: Origin) async throws -> String? {
            let text = value.replacing("@", with: folder).percentEncoded
            let response = try await client.open(url + text, from: origin).response
            if case .success(let items) = response { return items["told"] }
            guard case .error(let error) = response, error.code == .badParameter else { return "\(response)" }
            return nil
        }
        for row in Self.values {
            let (own, others) = (row.own?.replacing("@", with: folder), row.others?.replacing("@", with: folder))
            #expect(try await told("open:/file?file=", row.value, from: .socket) == own, "\(row.value)")
            #expect(try await told("open:/file?more=", row.value, from: .socket) == own, "\(row.value)")
            for origin in [Origin.desktop, .agent] {
                #expect(try await told("open:/file?file=", row.value, from: origin) == others, "\(row.value) \(origin)")
            }
            // A redirect does not hide a link, and this route has no folder.
            #expect(try await told("open:/through?name=", row.value, from: .desktop) == nil, "\(row.value)")
        }
        #expect(try await told("open:/any?file=", "in", from: .socket) == nil)
        #expect(try await told("open:/at/", "@/docs/line\nend", from: .socket) == "\(folder)/docs/line\nend")
    }

    /// The daemon sees files that other users do not.
    @Test(.enabled(if: geteuid() == 0, "only root may become another user"))
    func anotherUserIsConfined() throws {
        daemon.admitOtherUsers()
        let client = try RouterClient(daemon.socket, as: 65_534)
        for (value, isThere) in [
            ("a b.txt", true), ("out", false), ("\(folder)/outside", false), ("/etc/passwd", false),
        ] {
            try client.send("Open", ["url": .string("open:/file?file=\(value.percentEncoded)")])
            expect(try client.reply()["answer"]?.text) {
                $0?.contains(isThere ? "success?told=" : "errorCode=422") == true
            }
        }
    }

    /// The command knows the folder of its caller.
    @Test func theCommandMakesPathsWhole() throws {
        let program = try RunningDaemon.program("xcallback")
        for (word, output, status) in [
            ("file=a b.txt", "told=\(folder)/docs/a b.txt\n", 0), ("file=-rf", "told=\(folder)/docs/-rf\n", 0),
            ("file=../outside", "told=\(folder)/outside\n", 0),
            ("file=file://\(folder)/docs/in", "told=\(folder)/docs/a b.txt\n", 0),
            ("file=$(printf '\\377')", "is not UTF-8; nothing was done", 64),
            ("file=pipe", "Parameter 'file' must be a file or a folder that exists, with its absolute path", 1),
        ] {
            let process = try ChildProcess(
                [
                    "/bin/sh", "-c",
                    "cd '\(folder)/docs' && exec '\(program)' open --socket '\(daemon.socket)' open:/any --param \"\(word)\"",
                ], output: directory.path(of: "output"), error: directory.path(of: "output"))
            let ending = try process.wait()
            let text = try directory.text(of: "output")
            #expect(ending == status && text.contains(output), "\(word): \(text)")
        }
    }

    /// A yes is to the file that the question has shown.
    @Test func aLinkThatLeadsElsewhereAfterTheQuestionChangesNothing() async throws {
        try directory.write("first", to: "docs/first")
        try directory.write("second", to: "docs/second")
        let link = directory.path(of: "docs/link")
        symlink("first", link)
        let zenity = #"asked "$@"; stand; [ $n = 2 ] && echo b || /bin/ln -sfn second "\#(link)""#
        let site = try QuestionSite(
            """
              - route: run:/show
                public: true
                ask: true
                folder: \(folder)/docs
                input: { file: file, text: string }
                policies: [{ confirm: "Show {file}?" }]
                exec: [cat, "{file}"]
            """, tools: ["zenity": zenity])
        let response = try await Client(socket: site.daemon.socket).open("run:/show?file=link", from: .desktop).response
        #expect(response == .success(["result": "first"]))
        expect(try textOfFile(link), equals: "second")
    }

    /// What happens to a file after the check is the program's own business, as the documentation says.
    @Test(arguments: ["rm", "ln"])
    func aFileCanChangeAfterTheCheck(change: String) async throws {
        let path = directory.path(of: "docs/in.txt")
        try directory.write("before", to: "docs/in.txt")
        let zenity = #"asked "$@"; /bin/rm "\#(path)"; [ \#(change) = rm ] || /bin/ln -s ../outside "\#(path)"; stand"#
        let site = try QuestionSite(
            """
              - route: run:/show
                public: true
                folder: \(folder)/docs
                input: { file: file }
                policies: [{ confirm: "Show {file}?" }]
                exec: [cat, "{file}"]
            """, tools: ["zenity": zenity])
        let response = try await Client(socket: site.daemon.socket).open("run:/show?file=in.txt", from: .desktop)
            .response
        expect(try site.arguments("zenity")) {
            $0.replacing("\n↳ ", with: "").contains("Show “\(folder)/docs/in.txt”?")
        }
        if change == "ln" {
            #expect(response == .success(["result": "text"]))
        } else {
            #expect(
                response == .error(CallbackError(CallbackError.Code(rawValue: 1), "The program ended with status 1.")))
        }
    }
}

private func realPathOf(_ path: String) -> String? {
    guard let text = realpath(path, nil) else { return nil }
    defer { free(text) }
    return String(cString: text)
}
