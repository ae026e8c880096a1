import Glibc
import Testing
import XCallbackTesting

/// What can be served and never works: each warning leads to what was meant.
struct ContradictionTests {
    static let names: [CommonMistake] = [
        .route(
            "input: { ID: int }\n  respond: { r: \"{id}\" }", "write 'id' here",
            "input: { id: int }\n  respond: { r: \"{id}\" }", "r=7"),
        CommonMistake(
            "- route: /:noteId\n  input: { note_id: int }\n  respond:", "write 'noteId' here",
            "- route: /:noteId\n  input: { noteId: int }\n  respond:", "notes:/7"),
        CommonMistake(
            "- route: /:note-id\n  input: { note-id: int }\n  respond:", "write ':\"note-id\"' there",
            "- route: /:\"note-id\"\n  input: { note-id: int }\n  respond:", "notes:/7"),
        .route(
            "input: { id: { type: int, required: false } }\n  respond:", "leave it out, or write '{/:id}'",
            "input: { id: int }\n  respond:"),
        CommonMistake(
            "- route: /f/*path\n  input: { path: { type: list, required: false } }\n  respond:", "write '{/*path}'",
            "- route: /f{/*path}\n  input: { path: { type: list, required: false } }\n  respond:", "notes:/f"),
        CommonMistake(
            "- group: { prefix: /users, routes: [{ route: notes:/users/a, respond: }] }", "write '/a'",
            "- group: { prefix: /users, routes: [{ route: notes:/a, respond: }] }", "notes:/users/a"),
        CommonMistake(
            "- group: { prefix: /users, routes: [{ route: /users, respond: }] }", "write '/'",
            "- group: { prefix: /users, routes: [{ route: /, respond: }] }", "notes:/users"),
    ]

    static let stages: [CommonMistake] = [
        .route("policies: [{ origin: desktop }]\n  exec: [ls]", "write 'public: true'", "public: true\n  respond:"),
        .route(
            "public: true\n  policies: [{ origin: socket }]\n  respond:", "'public: true' has no effect",
            "policies: [{ origin: socket }]\n  respond:"),
        .route(
            "public: true\n  policies: [{ executable: /bin/sh }]\n  exec: [ls]", "rejects requests from the desktop",
            "policies: [{ executable: /bin/sh }]\n  exec: [ls]"),
        .route(
            "policies: [{ origin: desktop }, { origin: socket }]\n  public: true\n  respond:",
            "no origin passes all of 'origin' and 'origin'", "policies: [{ origin: [desktop, socket] }]\n  exec: [ls]"),
        .route(
            "policies: [{ origin: agent }]\n  respond:", "accepts only requests from assistants: write 'agent: true'",
            "policies: [{ origin: socket }]\n  respond:"),
        .route(
            "input: { t: string }\n  middleware: [{ rename: { t: body } }]\n  respond: { r: \"{t}\" }",
            "the old name comes first, write '{ body: t }'",
            "input: { t: string }\n  middleware: [{ rename: { body: t } }]\n  respond: { r: \"{t}\" }", "r=b"),
        .route(
            "policies: [{ require: t }]\n  middleware: [{ strip: [t, u] }]\n  respond:",
            "'t' is required, but removed by 'strip': leave it out there",
            "policies: [{ require: t }]\n  middleware: [{ strip: [u] }]\n  respond:"),
        .route(
            "policies: [{ require: [t=b] }]\n  respond:", "a value is demanded by '{ t: b }'",
            "policies: [{ require: { t: b } }]\n  respond:"),
    ]

    @Test(arguments: names + stages)
    func whatNeverWorksLeadsToItsFix(mistake: CommonMistake) throws { try mistake.check() }

    static let sound: [String] = [
        "input: { ID: int, id: int }\n  respond:", "input: { ID: { type: int, required: false } }\n  respond:",
        "input: { t: string }\n  middleware: [{ rename: { t: b, b: t } }]\n  respond:",
        "input: { t: string }\n  middleware: [{ rename: { t: b } }, { rename: { c: t } }]\n  respond:",
        "input: { t: string }\n  middleware: [{ strip: [t] }]\n  respond:",
        "input: { t: string }\n  middleware: [{ rename: { t: b } }, { exec: [ls] }]\n  respond:",
        "input: { t: { type: string, default: x } }\n  middleware: [{ rename: { t: b } }]\n  respond:",
        "middleware: [{ rename: { id: b } }]\n  input: { id: int }\n  respond:",
        "policies: [{ origin: [desktop, socket] }, { origin: [socket, internal] }]\n  respond:",
        "policies: [{ origin: desktop }, { origin: socket }]\n  respond:\n  enabled: false",
    ]

    @Test(arguments: sound)
    func whatCanWorkIsNotWarnedOf(keys: String) {
        #expect(CommonMistake.told(of: "schemes: [notes]\nroutes:\n- route: /a/:id\n  \(keys)") == [])
    }

    @Test func noSecretIsInAText() throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write("secret", to: "secret")
        chmod(path, 0o600)
        let text = """
            schemes: { mpv: { syntax: text } }
            routes: [{ route: "mpv:*rest", respond: }]
            policies: [{ token: { file: \(path) } }]
            """
        #expect(CommonMistake.told(of: text).contains { $0.contains("rejects all URLs of syntax 'text'") })
        #expect(
            CommonMistake.told(
                of: text.replacing("syntax: text", with: "syntax: url").replacing("mpv:*", with: "mpv://*")) == [])
    }
}
