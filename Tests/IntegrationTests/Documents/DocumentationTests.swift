import Glibc
import Testing
import XCallbackTesting

/// Runs the examples of the README and the documents: every configuration and every command.
@Suite(.blocking)
struct DocumentationTests {
    static let configurations = DocumentExample.all(in: "yaml")
    static let sessions = DocumentExample.all(in: "console")

    @Test func thereAreExamplesToRun() {
        #expect(Self.configurations.count >= 3)
        #expect(Self.sessions.count >= 4)
    }

    @Test(.timeLimit(.minutes(10)), arguments: configurations)
    func everyConfigurationIsValid(example: DocumentExample) throws {
        let directory = try TemporaryDirectory()
        let file = try directory.write(example.text, to: "config.yaml")
        // The secret that an example names as a credential of the service manager.
        chmod(try directory.write("secret\n", to: "sync-secret"), 0o600)
        let check = try Self.run(
            [RunningDaemon.program("xcallbackd"), "--config", file, "--check"], in: directory,
            environment: ["CREDENTIALS_DIRECTORY=\(directory.path)"])
        #expect(check.status == 0, "\(check.output)")
    }

    @Test(.timeLimit(.minutes(10)), arguments: ["config/config.yaml", "config/system.yaml"])
    func eachShippedConfigurationIsValid(shipped: String) throws {
        let directory = try TemporaryDirectory()
        let file = try directory.write(textOfPackageFile(shipped), to: "config.yaml")
        let check = try Self.run([RunningDaemon.program("xcallback"), "check", file], in: directory)
        #expect(check.status == 0, "\(check.output)")
    }

    /// The table in `xcallbackd.yaml(5)`.
    @Test(.timeLimit(.minutes(10)))
    func theConfigurationInTheManualIsValid() throws {
        let manual = try textOfPackageFile("Docs/man/xcallbackd.yaml.5").split(separator: "\n")
        let example = manual.drop { $0 != ".Sh EXAMPLES" }.dropFirst(2).prefix { $0 != ".Ed" }
        let directory = try TemporaryDirectory()
        let file = try directory.write(example.joined(separator: "\n"), to: "config.yaml")
        let check = try Self.run([RunningDaemon.program("xcallback"), "check", file], in: directory)
        #expect(check.status == 0, "\(check.output)")
        #expect(check.output.contains("3 routes"))
    }

    /// Each key, stage and limit.
    @Test func theManualNamesWhatTheDocumentsName() throws {
        let keys = try Self.words(inFirstColumnOf: Self.pagesOfKeys)
        let manual = try textOfPackageFile("Docs/man/xcallbackd.yaml.5")
        for key in keys { #expect(manual.contains(key), "\(key)") }
        #expect(keys.count > 60)
    }

    @Test(.timeLimit(.minutes(10)))
    func theManualNamesEachCommand() throws {
        let help = try Self.run([RunningDaemon.program("xcallback"), "--help"], in: TemporaryDirectory())
        let lines = help.output.split(separator: "\n").drop { !$0.hasSuffix(" SUBCOMMANDS:") }
        // Names are indented by two blanks, descriptions and continuation lines by more.
        let names = lines.filter { $0.hasPrefix("  ") && !$0.hasPrefix("   ") && !$0.contains("See 'xcallback") }
            .compactMap { $0.split(separator: " ").first }
        let manual = try textOfPackageFile("Docs/man/xcallback.1")
        for name in names { #expect(manual.contains(".It Cm \(name)"), "\(name)") }
        #expect(names.count == 21)
    }

    @Test(.timeLimit(.minutes(10)), arguments: sessions)
    func everyCommandPrintsWhatTheDocumentShows(example: DocumentExample) throws {
        let daemon = try Self.daemon(for: example)
        for step in example.steps {
            let shell = ["/bin/bash", "-c", "cd '\(daemon.directory.path)'; \(step.command)"]
            let result = try Self.run(
                shell, in: daemon.directory,
                environment: [
                    "PATH=\(Self.programs()):/usr/bin:/bin", "XCALLBACK_SOCKET=\(daemon.socket)",
                ])
            let printed = result.output.withExampleIDs
            #expect(step.shows(printed), "\(step.command) prints: \(printed)")
            // A command that finds nothing shows nothing.
            if step.output.isEmpty { #expect(result.status == 0, "\(step.command)") }
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func theFaultInTheReadmeIsToldAsShown() throws {
        let shown = try #require(DocumentExample.all(in: "text", of: "README.md").first?.text)
        let valid = try #require(Self.configurations.first { $0.file == "README.md" }?.text)
        let directory = try TemporaryDirectory()
        try directory.write(valid.replacing(first: "policies", with: "polices"), to: "config.yaml")
        let shell = [
            "/bin/bash", "-c",
            "cd '\(directory.path)'; \(try RunningDaemon.program("xcallbackd")) --config config.yaml --check",
        ]
        let check = try Self.run(shell, in: directory)
        #expect(check.status == 78)
        #expect(check.output.hasPrefix(shown), "\(check.output)")
    }

    @Test(.timeLimit(.minutes(10)))
    func theFaultsOfADropInAreToldAsShown() throws {
        let file = "Docs/Reference/Configuration.md"
        let texts = DocumentExample.all(in: "text", of: file).map(\.text)
        try #require(texts.count == 2)
        let directory = try TemporaryDirectory()
        try directory.write(#require(Self.configurations.first { $0.file == file }?.text), to: "config.yaml")
        try directory.write(texts[0], to: "routes.d/20-mine.yaml")
        let shell = [
            "/bin/bash", "-c",
            "cd '\(directory.path)'; \(try RunningDaemon.program("xcallbackd")) --config config.yaml --check",
        ]
        let check = try Self.run(shell, in: directory)
        #expect(check.status == 78)
        #expect(check.output == texts[1])
    }

    @Test(.timeLimit(.minutes(10)))
    func aProgramReadsWhatTheDocumentShows() throws {
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
        let expected = text.replacing(first: #""uid":1000,"gid":1000,"pid":4711"#, with: peer)
        #expect(try site.directory.text(of: "input") == expected + "\n")
    }

    private static let pagesOfKeys = ["Docs/Reference/Configuration.md", "Docs/Reference/Stages.md"]

    /// Returns the words in the first column of all tables of documents, such as `key`.
    private static func words(inFirstColumnOf files: [String]) throws -> Set<String> {
        let lines = try files.flatMap { try textOfPackageFile($0).split(separator: "\n") }
        let cells = lines.filter { $0.hasPrefix("| `") }.map { $0.dropFirst(2).prefix { $0 != "|" } }
        return Set(
            cells.flatMap { $0.split(separator: ",") }.compactMap { part in
                let word = part.drop { $0 != "`" }.dropFirst().prefix { $0.isLetter || $0 == "-" }
                // Varlink methods start with a capital letter.
                return word.first?.isLowercase == true && !word.hasSuffix("-") ? String(word) : nil
            })
    }

    private static func run(
        _ arguments: [String], in directory: TemporaryDirectory, environment: [String] = []
    ) throws -> (status: Int32, output: String) {
        let name = "output-\(UInt32.random(in: 0 ... .max))"
        let file = directory.path(of: name)
        let process = try ChildProcess(arguments, environment: environment, output: file, error: file)
        let status = try process.wait()
        return (status, try directory.text(of: name))
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

extension String {
    /// The text with the first occurrence of a word replaced.
    fileprivate func replacing(first word: String, with other: String) -> String {
        guard let range = firstRange(of: word) else { return self }
        return self[..<range.lowerBound] + other + self[range.upperBound...]
    }
}
