import Glibc
import TestSupport
import Testing
import XCallbackTesting

/// The promises of earlier releases, which this one keeps: a folder for each release, in `Tests/Releases`.
@Suite(.blocking)
struct EarlierReleaseTests {
    private static let folder = "\(packageFolder)/Tests/Releases"
    static let releases = ((try? namesInFolder(folder)) ?? []).sorted()
    /// The configurations shipped with a release, and one with every feature.
    static let configurations = releases.flatMap { release in
        ((try? namesInFolder("\(folder)/\(release)")) ?? []).filter { $0.hasSuffix(".yaml") }.map { "\(release)/\($0)" }
    }

    @Test(arguments: configurations)
    func itsConfigurationsHaveNeitherFaultNorWarning(file: String) throws {
        let directory = try TemporaryDirectory()
        try ExampleSite.install(["notes", "todo"], standIns: ["systemctl": ""], in: directory)
        let secret = try directory.write("not told to anybody\n", to: "sync-secret")
        chmod(secret, 0o600)
        let text = try textOfFile("\(Self.folder)/\(file)").replacing("SECRET", with: secret)
        try directory.write(text, to: "config.yaml")
        let result = try Self.run(["check", "config.yaml"], in: directory)
        #expect(result.status == 0)
        let lines = result.output.split(separator: "\n")
        // Only limits that are gone are told.
        let warnings = lines.filter { $0.contains(": warning: ") }
        #expect(lines.last?.hasPrefix("valid: ") == true, "\(result)")
        #expect(warnings.allSatisfy { $0.contains("no effect") }, "\(result)")
        #expect(warnings.isEmpty == !file.hasSuffix("/everything.yaml"), "\(result)")
    }

    /// The text of a message may change, but not its number.
    @Test(arguments: releases)
    func itsLinesHaveTheSameAnswers(release: String) throws {
        let daemon = try Self.startDaemon(of: release)
        let client = try daemon.connect()
        let lines = try textOfFile("\(Self.folder)/\(release)/answers.txt").split(separator: "\n")
        let questions = lines.filter { $0.hasPrefix("> ") }.map { String($0.dropFirst(2)) }
        let answers = lines.filter { $0.hasPrefix("< ") }.map { String($0.dropFirst(2)) }
        #expect(questions.count == answers.count && questions.count > 10)
        for (question, expected) in zip(questions, answers) {
            let answer = try client.ask(question) ?? "nothing"
            #expect(answer.replacing(/errorMessage=[^&]+/, with: "errorMessage=*") == expected, "\(question)")
        }
    }

    @Test(arguments: releases)
    func itsCommandsEndWithTheSameStatus(release: String) throws {
        let daemon = try Self.startDaemon(of: release)
        try daemon.directory.write("schemes: demo\nroutes: no\n", to: "fault.yaml")
        let lines = try textOfFile("\(Self.folder)/\(release)/statuses.txt").split(separator: "\n")
        let commands = lines.filter { !$0.hasPrefix("#") }
        #expect(commands.count > 10)
        for command in commands {
            let words = command.split(separator: " ").map(String.init)
            let result = try Self.run(
                Array(words.dropFirst()), in: daemon.directory, environment: ["XCALLBACK_SOCKET=\(daemon.socket)"])
            #expect(words[0] == "\(result.status)", "\(command): \(result)")
        }
    }

    private static func startDaemon(of release: String) throws -> RunningDaemon {
        try RunningDaemon(textOfFile("\(folder)/\(release)/config.yaml"))
    }

    /// Runs the command in a directory.
    private static func run(
        _ arguments: [String], in directory: TemporaryDirectory, environment: [String] = []
    ) throws -> (status: Int32, output: String) {
        try ChildProcess.run(
            ["/bin/sh", "-c", #"cd "$0" && exec "$@""#, directory.path, RunningDaemon.program("xcallback")] + arguments,
            environment: environment + [
                "PATH=\(directory.path)/bin:/usr/bin:/bin", "HOME=\(directory.path)",
                "CREDENTIALS_DIRECTORY=\(directory.path)",
            ])
    }
}
