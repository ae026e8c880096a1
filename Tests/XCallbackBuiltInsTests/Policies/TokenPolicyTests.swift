import Glibc
import TestSupport
import Testing
import XCallbackBuiltIns
import XCallbackConfiguration
import XCallbackTesting

struct TokenPolicyTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = try directory.write("s3cret\n", to: "secret")
        chmod(path, 0o600)
    }

    private func router(_ policies: String, respond: String = "{ ok: 1 }", keys: String = "{}") throws -> Configured {
        try Configured(
            routes: """
                - route: notes:/a{/:id}
                  input: \(keys)
                  policies: \(policies.replacing("FILE", with: path))
                  respond: \(respond)
                - route: notes:/there
                  redirect: "notes:/a?token={token}"
                """)
    }

    private func faults(_ policies: String) -> [String] {
        Configured.faults(
            of: "schemes: [notes]\nroutes:\n- route: /a/:id\n  input: { name: string }\n  respond:\n  policies: "
                + policies.replacing("FILE", with: path) + "\n")
    }

    private static let refusal =
        "403 Policy 'token' refuses the request: parameter 'token' is missing or has another value."

    static let rows: [(String, Bool)] = [
        ("?token=s3cret", true), ("?t%6Fken=s%33cret", true), ("?b=1&token=s3cret&c", true), ("", false),
        ("?token=S3cret", false), ("?token=s3cre", false), ("?token=s3crett", false), ("?token=s3crets3cret", false),
        ("?token=", false), ("?token", false), ("?Token=s3cret", false), ("?token=s3cret&token=s3cret", false),
        ("?token=x&token=s3cret", false), ("?token.0=s3cret", false), ("?token=s3cret%0A", false),
        ("#token=s3cret", false),
    ]

    @Test(arguments: rows)
    func onlyWhoKnowsTheSecretPasses(rest: String, passes: Bool) throws {
        var router = try router("[{ token: { file: FILE } }]")
        expect(try router.result(of: "notes:/a\(rest)"), equals: (passes ? "ok=1" : Self.refusal))
    }

    @Test func nothingElseSeesTheSecret() throws {
        var router = try router(
            "[{ token: { file: FILE } }, { require: b }]",
            respond: "{ url: '{@url}', query: '{@query}', token: '{token}', b: '{b}' }")
        expect(
            try router.result(of: "notes:/a?token=s3cret&b=1&x-source=me"),
            equals: "url=notes:/a?b=1&x-source=me|query=b=1|b=1")
        expect(try router.result(of: "notes:/a?b=1&token=wrong"), equals: Self.refusal)
        expect(
            try router.result(of: "notes:/there?token=s3cret"),
            equals: "403 Policy 'require' refuses the request: parameter 'b' is missing.")
        var other = try self.router("[{ token: { file: FILE } }]", respond: "{ url: '{@url}' }")
        expect(try other.result(of: "notes:/there?b=1&token=s3cret"), equals: "url=notes:/there?b=1")
    }

    @Test func aCallbackBesideTheSecretGetsTheAnswer() throws {
        var router = try router("[{ token: { file: FILE } }]")
        #expect(router.answer(to: "notes:/a?token=s3cret&x-success=app:done%3Fa%3D1&b=2") == "app:done?a=1&ok=1")
        let answer = router.answer(to: "notes:/a?token=wrong&x-error=app:failed")
        #expect(answer.hasPrefix("app:failed?errorCode=403&errorMessage=Policy"))
        #expect(!answer.contains("wrong"))
    }

    @Test func aSecretIsJudgedInItsTurn() throws {
        var router = try router(
            "[{ require: b }, { token: { file: FILE } }, { token: { file: FILE, parameter: pin } }]")
        expect(try router.result(of: "notes:/a?token=wrong")) { $0.contains("'require'") }
        expect(try router.result(of: "notes:/a?b=1&token=wrong"), equals: Self.refusal)
        expect(try router.result(of: "notes:/a?b=1&token=s3cret")) { $0.contains("parameter 'pin' is missing") }
        expect(try router.result(of: "notes:/a?b=1&token=s3cret&pin=s3cret"), equals: "ok=1")
    }

    @Test func aSecretOfOneRequestIsNotThatOfTheNext() throws {
        var router = try router("[{ token: { file: FILE } }]")
        expect(try router.result(of: "notes:/a?token=s3cret"), equals: "ok=1")
        expect(try router.result(of: "notes:/a"), equals: Self.refusal)
    }

    @Test func aTextHasNoParameterForASecret() {
        let text =
            "schemes: { mpv: { syntax: text } }\nroutes: [{ route: 'mpv:*rest', respond: }]\n"
            + "policies: [{ token: { file: \(path) } }]"
        #expect(Configured.faults(of: text).contains { $0.contains("rejects all URLs of syntax 'text'") })
    }

    static let modes: [(mode_t, Bool)] = [
        (0o600, true), (0o400, true), (0o640, true), (0o644, false), (0o660, false), (0o602, false),
    ]

    @Test(arguments: modes)
    func aSecretThatOthersCanReadIsAFault(mode: mode_t, isSound: Bool) {
        chmod(path, mode)
        let fault =
            "6:31: expected a secret that others may neither read nor write, found mode 0\(String(mode, radix: 8)); "
            + "try 'chmod 600'"
        #expect(faults("[{ token: { file: FILE } }]") == (isSound ? [] : [fault]))
    }

    private static let setfacl = "/usr/bin/setfacl"

    @Test(.enabled(if: access(setfacl, X_OK) == 0, "setfacl is not installed"))
    func aSecretThatAListLetsAnotherUserReadIsAFault() throws {
        expect(try ChildProcess.run([Self.setfacl, "--modify=user:1234:r", path]).status, equals: 0)
        let found = faults("[{ token: { file: FILE } }]")
        #expect(found.count == 1 && found[0].contains("found an access control list that names some"), "\(found)")
    }

    static let contents: [(String, Bool)] = [("", false), ("\n", false), ("x", true), ("x\0y", false)]

    @Test(arguments: contents)
    func aSecretIsAText(content: String, isSound: Bool) throws {
        try directory.write(content, to: "secret")
        chmod(path, 0o600)
        #expect(faults("[{ token: { file: FILE } }]").isEmpty == isSound)
    }

    static let faulty: [(String, String)] = [
        ("[token]", "6:14: expected the file of a secret, such as { file: /etc/xcallbackd/secret } after 'token:'"),
        ("[{ token: {} }]", "6:23: expected the key 'file' or 'credential' in a 'token' policy"),
        ("[{ token: { file: FILE, credential: c } }]", ": expected either 'file' or 'credential', found both"),
        ("[{ token: { file: nowhere } }]", "6:31: the secret cannot be read: open: No such file or directory"),
        ("[{ token: { file: ~bob/secret } }]", "6:31: '~' works only as '~/', the home of the daemon's user"),
        ("[{ token: { file: /none } }]", "6:31: the secret cannot be read: open: No such file or directory"),
        ("[{ token: { credential: a/b } }]", "6:37: expected the name of a credential, found 'a/b'"),
        ("[{ token: { parameter: x-token, file: FILE } }]", "6:36: a parameter cannot be called 'x-token'"),
        ("[{ token: { file: FILE, parameter: id } }]", "'id' is removed from the request before it is read"),
        ("[{ token: { file: FILE, parameter: name } }]", "'name' is removed from the request before it is read"),
    ]

    @Test(arguments: faulty)
    func aTokenThatCannotBeMeantIsAFault(policies: String, fault: String) {
        let found = faults(policies)
        #expect(found.count == 1 && found[0].contains(fault), "\(found)")
    }
}
