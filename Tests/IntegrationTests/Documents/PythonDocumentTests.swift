import Testing
import XCallbackTesting

/// The documents' examples of the Python client.
@Suite(.blocking, .timeLimit(.minutes(10)))
struct PythonDocumentTests {
    @Test func theProgramsOfTheDocumentDoWhatTheySay() throws {
        try ClientDocument(file: "Docs/HowTo/WriteAClient.md", language: "python").check { text, daemon in
            try PythonProgram(text, asking: daemon.socket, in: daemon.directory)
        }
    }
}
