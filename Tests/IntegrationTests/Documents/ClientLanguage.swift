import Glibc
import TestSupport
import Testing
import XCallbackTesting

/// A language with a client in the examples.
enum ClientLanguage: CaseIterable {
    case python, node, go

    /// The folder with the scenarios of the tests, the same ones in each language.
    private static let scenarios = "\(packageFolder)/Tests/Clients"
    private static let path = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"
    private static let environment = [
        "PATH=\(path)", "HOME=/", "GOCACHE=\(packageFolder)/.build/go", "GOTOOLCHAIN=local", "CGO_ENABLED=0",
        "PYTHONPATH=\(ExampleProgram.folder)", "PYTHONDONTWRITEBYTECODE=1",
        "PYTHONWARNINGS=always::ResourceWarning",
    ]

    private static let interpreter = ["/usr/bin/python3", "-u"]

    /// The word after the fences of its programs in documents.
    var block: String {
        switch self {
        case .python: "python"
        case .node: "js"
        case .go: "go"
        }
    }

    /// Whether there is a command in `$PATH`.
    private static func isThere(_ command: String) -> Bool {
        path.split(separator: ":").contains { access("\($0)/\(command)", X_OK) == 0 }
    }

    /// Cancels the test if the language is not installed: `make test` leaves out Go, because of its size.
    func require() throws {
        guard self != .go || Self.isThere("go") else { try Test.cancel("'make nightly' installs golang-go") }
    }

    /// Runs a scenario.
    func run(
        _ scenario: String..., asking socket: String, in directory: TemporaryDirectory
    ) throws -> ExampleProgram {
        let command =
            switch self {
            case .python: Self.interpreter + ["\(Self.scenarios)/scenarios.py"]
            case .node:
                ["/usr/bin/env", "node", "\(Self.scenarios)/scenarios.mjs", ExampleProgram.example("xcallback.mjs")]
            case .go: [try Self.build(textOfPackageFile("Tests/Clients/scenarios.go"), in: directory)]
            }
        return try ExampleProgram(
            command + scenario, environment: Self.environment, asking: socket, in: directory)
    }

    /// Runs a program of a document, with a copy of the client where the document has it.
    func run(program text: String, asking socket: String, in directory: TemporaryDirectory) throws -> ExampleProgram {
        let command: [String]
        switch self {
        case .python:
            command = Self.interpreter + [try directory.write(text, to: "program-\(UInt32.random(in: 0 ... .max)).py")]
        case .node:
            try directory.write(textOfPackageFile("Docs/Examples/clients/xcallback.mjs"), to: "xcallback.mjs")
            let file = try directory.write(text, to: "program-\(UInt32.random(in: 0 ... .max)).mjs")
            command = ["/usr/bin/env", "node", file]
        case .go:
            command = [try Self.build(text, in: directory)]
        }
        return try ExampleProgram(command, environment: Self.environment, asking: socket, in: directory)
    }

    /// Runs a program in Python with arguments.
    static func runPython(
        _ arguments: [String], asking socket: String, in directory: TemporaryDirectory
    ) throws -> ExampleProgram {
        try ExampleProgram(interpreter + arguments, environment: environment, asking: socket, in: directory)
    }

    /// Compiles a program in Go; all warnings of `go vet` are errors.
    ///
    /// - Returns: The path of the executable.
    private static func build(_ text: String, in directory: TemporaryDirectory) throws -> String {
        let name = "go-\(UInt32.random(in: 0 ... .max))"
        try directory.write("module example.org/notes\n\ngo 1.19\n", to: "\(name)/go.mod")
        try directory.write(
            textOfPackageFile("Docs/Examples/clients/xcallback.go"), to: "\(name)/xcallback/xcallback.go")
        try directory.write(text, to: "\(name)/main.go")
        let folder = directory.path(of: name)
        let (status, log) = try ChildProcess.run(
            [
                "/bin/sh", "-c",
                "cd '\(folder)' && go vet ./... && go build -o program . && gofmt -l . && test -z \"$(gofmt -l .)\"",
            ],
            environment: environment, within: .seconds(300))
        guard status == 0 else { throw TestFailure("cannot compile: \(log)") }
        return "\(folder)/program"
    }
}
