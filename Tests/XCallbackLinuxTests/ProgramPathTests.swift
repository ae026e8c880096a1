import Glibc
import TestSupport
import Testing
import XCallbackLinux
import XCallbackTesting

struct ProgramPathTests {
    /// A program that runs until the test ends.
    private final class Run {
        let directory: TemporaryDirectory
        let process: ChildProcess
        let file: String

        init(named name: String) throws {
            directory = try TemporaryDirectory()
            file = directory.path(of: name)
            guard try ChildProcess.run(["/bin/cp", "/bin/sleep", file]).status == 0 else {
                throw TestFailure("cannot copy a program")
            }
            process = try ChildProcess([file, "600"])
        }

        var path: String {
            get throws { String(decoding: try programPath(ofProcess: "\(process.id)"), as: UTF8.self) }
        }
    }

    @Test(arguments: ["program", "program (deleted)"])
    func aProgramHasThePathOfItsFile(name: String) throws {
        let run = try Run(named: name)
        expect(try run.path, equals: run.file)
    }

    @Test(arguments: ["program", "program (deleted)"])
    func aProgramWhoseFileIsGoneHasThePathOfTheNextOne(name: String) throws {
        let run = try Run(named: name)
        #expect(unlink(run.file) == 0)
        expect(try run.path, equals: run.file)
        try run.directory.write("new", to: name)
        expect(try run.path, equals: run.file)
    }

    @Test func anotherFileWithTheMarkedNameIsNotTheProgram() throws {
        let run = try Run(named: "program")
        #expect(unlink(run.file) == 0)
        try run.directory.write("other", to: "program (deleted)")
        expect(try run.path, equals: run.file)
    }

    @Test func aProcessThatHasEndedHasNone() {
        #expect(throws: SystemError.self) { try programPath(ofProcess: "0") }
    }
}
