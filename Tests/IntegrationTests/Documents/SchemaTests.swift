import Glibc
import Testing
import XCallbackTesting

/// The schema for editors, as an independent validator reads it.
@Suite(.blocking)
struct SchemaTests {
    /// Prints the names of a folder's files that the schema accepts, one per line, sorted.
    private static let validator = #"""
        import glob, json, os, re, sys
        import jsonschema, yaml

        # The plain words of YAML 1.2; yaml's own loader reads those of 1.1, in which `no` is a Boolean.
        class Loader(yaml.SafeLoader):
            yaml_implicit_resolvers = {}

        for tag, pattern, first in [
            ("bool", r"true|false", "tf"), ("null", r"~|null|", ["~", "n", ""]), ("merge", r"<<", "<"),
            ("int", r"-?(0|[1-9][0-9]*)", "-0123456789"), ("float", r"-?(0|[1-9][0-9]*)[.][0-9]+", "-0123456789"),
        ]:
            Loader.add_implicit_resolver("tag:yaml.org,2002:" + tag, re.compile("^(?:%s)$" % pattern), list(first))
        schema = json.load(open(sys.argv[1]))
        jsonschema.Draft202012Validator.check_schema(schema)
        validator = jsonschema.Draft202012Validator(schema)
        for path in sorted(glob.glob(sys.argv[2] + "/*.yaml")):
            faults = list(validator.iter_errors(yaml.load(open(path), Loader=Loader)))
            if faults:
                print(os.path.basename(path), faults[0].json_path, faults[0].message, file=sys.stderr)
            else:
                print(os.path.basename(path))
        """#

    /// A configuration with every feature; `SECRET` is a file.
    private static let good = """
        schemes: { notes: , todo: { hosts: ignore } }
        middleware: [log]
        policies: mine
        define:
          middleware: { usual: [log] }
          policies: { mine: [{ user: [self, 0] }, { rate: { limit: 10/m, per: route } }] }
        callbacks: { allow: [app, "https://example.org"] }
        limits: { line: 64KiB, output: 4096, first-byte: 1.5s, redirects: 0 }
        log: { level: debug }
        routes:
          - route: notes:/notes/:id
            public: true
            enabled: false
            strict: true
            form: false
            middleware:
              - usual
              - app-links
              - strip
              - { strip: [ref, "utm_*"], rename: { body: text }, exec: [true, "{@uid}"] }
            policies:
              - { group: [0, 0], executable: /usr/bin/env, app: { ids: snap.a, advisory: true }, source: [a, b] }
              - { origin: [socket, internal], exec: [true, "{id}"], confirm: { exec: [true], timeout: 30s } }
              - { executable: [/bin/sh], app: org.example.App, origin: socket, confirm: [true] }
              - { confirm: "Really, {id}?" }
              - { confirm: { text: "Sure, {id}?", timeout: 1m, origin: desktop } }
              - { token: { file: SECRET, parameter: key } }
              - mine
              - { rate: 10/s }
              - { require: { mode: [read, 1], id: } }
            timeout: 250ms
            input:
              id: int
              mode: { type: enum, values: [read, 1], default: read }
              tag: { type: list, of: string, required: false, max-length: 8, charset: a-z }
              n: { type: number, min: -1.5, max: 7, allow-dash: true }
            exec: [echo, "{id}", 1]
            output: lines
            cancel-status: 3
          - group:
              prefix: /todo
              scheme: todo
              policies: []
              routes:
                - { route: /a, respond: { a: 1, b: [x, true], c: "{@url}" } }
                - { route: /b, respond: }
                - { route: /c, redirect: "app:/x" }
        """

    /// Changes of ``good`` that cause a fault: a word and its replacement.
    private static let faults = [
        ("schemes:", "scheme:"), ("hosts: ignore", "host: ignore"), ("hosts: ignore", "hosts: keep"),
        ("limits: {", "limits: { lines: 1,"), ("line: 64KiB", "line: 64KB"), ("first-byte: 1.5s", "first-byte: 5"),
        ("redirects: 0", "redirects: some"), ("level: debug", "level: loud"), ("allow: [app", "alow: [app"),
        ("policies: { mine", "policy: { mine"), ("limit: 10/m", "limit: 10/y"), ("per: route", "per: group"),
        ("strip: [ref", "strip: [[ref]"), ("rename: { body: text }", "rename: body"),
        ("exec: [true, \"{@uid}\"]", "exec: true"), ("origin: [socket", "origin: [sockets"),
        ("executable: /usr/bin/env", "executable: env"), ("advisory: true", "advisor: true"),
        ("ids: snap.a", "id: snap.a"),
        ("timeout: 30s }", "timeout: 30 }"), ("exec: [true], timeout", "exe: [true], timeout"),
        ("Really, {id}?", ""), ("text: \"Sure, {id}?\"", "text: \"\""),
        ("text: \"Sure, {id}?\"", "exec: [true], text: a"),
        ("text: \"Sure, {id}?\",", ""), ("timeout: 1m, origin: desktop", "origin: page"),
        ("timeout: 1m, origin: desktop", "origin: []"), ("timeout: 1m, origin: desktop", "origins: desktop"),
        ("parameter: key", "parameters: key"), ("{ token: { file: SECRET,", "{ token: {"),
        ("source: [a, b]", "sources: [a, b]"), ("{ rate: 10/s }", "{ rat: 10/s }"), ("{ rate: 10/s }", "{ rate: 10 }"),
        ("public: true", "public: ja"),
        ("public: true", "publc: true"), ("enabled: false", "enabled: 0"), ("timeout: 250ms", "timeout: 250"),
        ("id: int", "id: integer"), ("values: [read, 1]", "value: [read]"), ("max-length: 8", "max-length: long"),
        ("min: -1.5", "min: low"), ("of: string", "of: list"), ("  exec: [echo", "  exce: [echo"),
        ("exec: [echo, \"{id}\", 1]", "exec: echo"), ("exec: [echo, \"{id}\", 1]", "exec: []"),
        ("output: lines", "output: xml"), ("cancel-status: 3", "cancel-status: 256"), ("prefix: /todo", "prefx: /todo"),
        ("routes:\n        - {", "route:\n        - {"), ("respond: { a: 1", "respond: { x-a: 1"),
        ("respond: { a: 1", "respond: { a: { b: 1 }"), ("redirect: \"app:/x\"", "redirect: [7]"),
        ("redirect:", "respond: { a: 1 }, redirect:"), ("- { route: /b,", "- { rout: /b,"),
    ]

    @Test(.timeLimit(.minutes(10)))
    func itTakesWhatIsValidAndNothingElse() throws {
        let directory = try TemporaryDirectory()
        try directory.write(Self.validator, to: "validate.py")
        var valid = [Self.good, try textOfPackageFile("config/config.yaml")]
        valid += DocumentExample.all(in: "yaml").map(\.text)
        valid += try ExampleFileTests.files.map { try textOfPackageFile("config/examples/\($0)") }
        valid[0] = valid[0].replacing("SECRET", with: "/secret")
        for (index, text) in valid.enumerated() { try directory.write(text, to: "files/good-\(index).yaml") }
        for (index, (word, other)) in Self.faults.enumerated() {
            let text = valid[0].replacing(word.replacing("SECRET", with: "/secret"), with: other, maxReplacements: 1)
            try #require(text != valid[0], "\(word)")
            try directory.write(text, to: "files/fault-\(index).yaml")
        }
        let schema = "\(packageFolder)/config/xcallbackd.schema.json"
        let process = try ChildProcess(
            ["/usr/bin/python3", directory.path(of: "validate.py"), schema, directory.path(of: "files")],
            output: directory.path(of: "taken"), error: directory.path(of: "refused"))
        #expect(try process.wait() == 0)
        let refused = try directory.text(of: "refused")
        let expected = valid.indices.map { "good-\($0).yaml\n" }.sorted().joined()
        #expect(try directory.text(of: "taken") == expected, "\(refused)")
        let faultCount = refused.split(separator: "\n").count { $0.hasPrefix("fault-") }
        #expect(faultCount == Self.faults.count, "\(refused)")
    }

    @Test(.timeLimit(.minutes(10)))
    func theDaemonSaysTheSame() throws {
        let directory = try TemporaryDirectory()
        let secret = try directory.write("secret", to: "secret")
        chmod(secret, 0o600)
        for (index, text) in ([Self.good] + Self.faults.map { Self.good.replacing($0, with: $1, maxReplacements: 1) })
            .enumerated()
        {
            let file = try directory.write(text.replacing("SECRET", with: secret), to: "\(index)/config.yaml")
            let process = try ChildProcess(
                [RunningDaemon.program("xcallbackd"), "--check", "--config", file],
                output: directory.path(of: "output"), error: directory.path(of: "faults"))
            let status = try process.wait()
            let faults = try directory.text(of: "faults")
            #expect(status == (index == 0 ? 0 : 78), "\(faults)\n\(text)")
        }
    }
}
