import Glibc
import TestSupport
import Testing
import XCallbackTesting

/// Runs the examples of the README and the documents: every configuration and every command.
@Suite(.blocking)
struct DocumentationTests {
    static let configurations = DocumentExample.all(in: "yaml")
    /// `PastedCommandTests` has those of the front page.
    static let sessions = DocumentExample.all(in: "console").filter { $0.file != "README.md" }

    @Test func thereAreExamplesToRun() {
        #expect(Self.configurations.count >= 3)
        #expect(Self.sessions.count >= 4)
    }

    /// At a prompt, zsh takes a comment for arguments.
    @Test func noCommandToPasteHasAComment() {
        let others = ["CONTRIBUTING.md"] + packageFiles(below: "Sources/XCallback", endingIn: ".md")
        let blocks = DocumentExample.all(in: "sh") + others.flatMap { DocumentExample.all(in: "sh", of: $0) }
        #expect(blocks.count > 50)
        for block in blocks { #expect(!block.text.contains(/(?m:^|\h)#(?!!)/), "\(block)") }
    }

    @Test(arguments: configurations)
    func everyConfigurationIsValid(example: DocumentExample) throws {
        let directory = try TemporaryDirectory()
        let file = try directory.write(example.text, to: "config.yaml")
        // The secret that an example names as a credential of the service manager.
        chmod(try directory.write("secret\n", to: "sync-secret"), 0o600)
        let check = try ChildProcess.run(
            [RunningDaemon.program("xcallbackd"), "--config", file, "--check"],
            environment: ["CREDENTIALS_DIRECTORY=\(directory.path)"])
        #expect(check.status == 0, "\(check.output)")
    }

    @Test(arguments: ["config/config.yaml", "config/system.yaml"])
    func eachShippedConfigurationIsValid(shipped: String) throws {
        let directory = try TemporaryDirectory()
        let file = try directory.write(textOfPackageFile(shipped), to: "config.yaml")
        let check = try ChildProcess.run([RunningDaemon.program("xcallback"), "check", file])
        #expect(check.status == 0, "\(check.output)")
    }

    /// The table in `xcallbackd.yaml(5)`.
    @Test func theConfigurationInTheManualIsValid() throws {
        let manual = try textOfPackageFile("Docs/man/xcallbackd.yaml.5").split(separator: "\n")
        let example = manual.drop { $0 != ".Sh EXAMPLES" }.dropFirst(2).prefix { $0 != ".Ed" }
        let directory = try TemporaryDirectory()
        let file = try directory.write(example.joined(separator: "\n"), to: "config.yaml")
        let check = try ChildProcess.run([RunningDaemon.program("xcallback"), "check", file])
        #expect(check.status == 0, "\(check.output)")
        #expect(check.output.contains("3 routes"))
    }

    @Test(arguments: sessions)
    func everyCommandPrintsWhatTheDocumentShows(example: DocumentExample) throws {
        let daemon = try Self.daemon(for: example)
        for step in example.steps {
            let shell = ["/bin/bash", "-c", "cd '\(daemon.directory.path)'; \(step.command)"]
            let result = try ChildProcess.run(
                shell,
                environment: [
                    "PATH=\(Self.programs()):/usr/bin:/bin", "XCALLBACK_SOCKET=\(daemon.socket)",
                ])
            let printed = result.output.withExampleIDs
            #expect(step.shows(printed), "\(step.command) prints: \(printed)")
            // A command that finds nothing shows nothing.
            if step.output.isEmpty { #expect(result.status == 0, "\(step.command)") }
        }
    }

    @Test func theFaultsOfADropInAreReportedAsShown() throws {
        let file = "Docs/Reference/Configuration.md"
        let texts = DocumentExample.all(in: "text", of: file).map(\.text)
        try #require(texts.count == 2)
        let configuration = try #require(Self.configurations.first { $0.file == file }?.text)
        expect(try Self.faults(of: configuration, dropIn: texts[0]), equals: texts[1])
    }

    /// What the check of a faulty configuration prints, with a drop-in if there is one.
    private static func faults(of configuration: String, dropIn: String? = nil) throws -> String {
        let directory = try TemporaryDirectory()
        try directory.write(configuration, to: "config.yaml")
        if let dropIn { try directory.write(dropIn, to: "routes.d/20-mine.yaml") }
        let program = try RunningDaemon.program("xcallbackd")
        let shell = ["/bin/bash", "-c", "cd '\(directory.path)'; \(program) --config config.yaml --check"]
        let check = try ChildProcess.run(shell)
        #expect(check.status == 78)
        return check.output
    }

    @Test func aProgramReadsWhatTheDocumentShows() throws {
        let shown = try #require(DocumentExample.all(in: "json", of: "Docs/Reference/Programs.md").first?.text)
        let site = try ExecSite(
            """
              - route: notes:/notes/:id/append
                input: { id: int, text: { type: string, max-length: 4096 } }
                exec: [DIR/keep]
            """, schemes: "[notes]", programs: ["keep": #"cat >"${0%/*}/input""#])
        let text = shown.filter { !$0.isWhitespace }
        let url = try #require(text.split(separator: "\"").dropFirst(3).first)
        _ = try site.daemon.connect().ask(String(url))
        let peer = #""uid":\#(geteuid()),"gid":\#(getegid()),"pid":\#(getpid())"#
        let expected = text.replacing(#""uid":1000,"gid":1000,"pid":4711"#, with: peer)
        expect(try site.directory.text(of: "input"), equals: expected + "\n")
    }

    @Test func aPhoneAndAKeyringAnswerAsTheDocumentSays() throws {
        let page = "Docs/HowTo/GuardAnAction.md"
        let directory = try TemporaryDirectory()
        let programs = [
            "ask-phone": try #require(DocumentExample.all(in: "bash", of: page).first).text,
            "bin/curl": #"""
            #!/bin/sh
            id=$(printf '%s' "$*" | sed -n 's/.*body=yes \([0-9a-f]*\),.*Switch the light on for Ada?.*/\1/p')
            [ -z "$id" ] || exec sh -c 'echo "$1" >"$0"' "$0.id" "$id"
            echo "yes 00"
            echo "$(cat "$0.answer") $(cat "$0.id")"
            """#,
            "bin/switch-light": "#!/bin/sh\necho \"open for $1\"\n",
            "bin/mail-count": "#!/bin/sh\necho \"$PASSWORD\"\n",
            "bin/secret-tool": "#!/bin/sh\n[ \"$*\" = 'lookup service mail' ] && echo 'a secret'\n",
        ]
        for (name, text) in programs { chmod(try directory.write(text, to: name), 0o755) }
        func answer(to url: String, from scheme: String) throws -> String? {
            let configuration = Self.configurations.first { $0.file == page && $0.text.contains("[\(scheme)]") }
            let daemon = try RunningDaemon(
                starting: #require(configuration).text, in: directory,
                preparation: "export PATH=\(directory.path)/bin:/usr/bin:/bin")
            try daemon.waitUntilReady()
            return try daemon.connect().ask(url)
        }
        let success = "xcallback://x-callback-url/success?result="
        expect(try answer(to: "mail:/count", from: "mail"), equals: "\(success)a%20secret")
        try directory.write("yes", to: "bin/curl.answer")
        expect(try answer(to: "door:/light?name=Ada", from: "door"), equals: "\(success)open%20for%20Ada")
        try directory.write("no", to: "bin/curl.answer")
        expect(try answer(to: "door:/light?name=Ada", from: "door"), equals: "xcallback://x-callback-url/cancel")
    }

    /// Starts a daemon with a document's configuration for its commands, or with the shipped one.
    private static func daemon(for example: DocumentExample) throws -> RunningDaemon {
        try RunningDaemon(DocumentExample.configurationOfCommands(in: example.file) ?? shippedConfiguration())
    }

    private static func programs() throws -> String {
        String(try RunningDaemon.program("xcallbackd").dropLast("/xcallbackd".count))
    }

    private static func shippedConfiguration() throws -> String {
        try textOfPackageFile("config/config.yaml")
    }
}
