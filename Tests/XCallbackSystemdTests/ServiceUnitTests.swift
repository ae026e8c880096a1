import Glibc
import Testing

struct ServiceUnitTests {
    @Test(.timeLimit(.minutes(10)))
    func theUnitsAreValid() throws {
        // Verifying asks for the program too, which is not installed where it is tested.
        let text = try contents(ofFile: Self.folder + Self.service)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.contains("ExecStart=/usr/bin/xcallbackd"))
        let changed = lines.map { $0.hasPrefix("ExecStart=") ? "ExecStart=/bin/true" : $0 }.joined(separator: "\n")
        try withTemporaryDirectory { directory in
            try write(changed, toFile: "\(directory)/\(Self.service)")
            try write(try contents(ofFile: Self.folder + Self.socket), toFile: "\(directory)/\(Self.socket)")
            let units = [Self.service, Self.socket].map { "\(directory)/\($0)" }
            let result = try analyze(["verify", "--man=no"] + units, outputIn: directory)
            #expect(result.output == "")
            #expect(result.status == 0)
        }
    }

    @Test func theSocketHasTheNameThatTheDaemonExpects() throws {
        let lines = try contents(ofFile: Self.folder + Self.socket).split(separator: "\n")
        #expect(lines.contains("FileDescriptorName=xcallbackd.socket"))
        #expect(lines.contains("ListenStream=/run/xcallbackd/socket"))
    }

    @Test func aStopIsToldToTheDaemonAlone() throws {
        let lines = try contents(ofFile: Self.folder + Self.service).split(separator: "\n")
        #expect(lines.contains("KillMode=mixed"))
    }

    @Test(.timeLimit(.minutes(10)))
    func theUnitExposesLittle() throws {
        try withTemporaryDirectory { directory in
            let arguments = ["security", "--offline=true", "--threshold=12", "--no-pager", Self.folder + Self.service]
            let result = try analyze(arguments, outputIn: directory)
            #expect(result.status == 0, "\(result.output)")
            #expect(result.output.contains("Overall exposure level for xcallbackd.service"))
        }
    }

    private static let service = "xcallbackd.service"
    private static let socket = "xcallbackd.socket"
    private static let folder = #filePath.split(separator: "/").dropLast(3).reduce("") { "\($0)/\($1)" } + "/systemd/"

    private func analyze(
        _ arguments: [String], outputIn directory: String
    ) throws -> (status: Int32, output: String) {
        let output = "\(directory)/output"
        guard let status = try run(["systemd-analyze"] + arguments, output: output) else {
            throw TestFailure("systemd-analyze is missing: install the package systemd")
        }
        return (status, try contents(ofFile: output))
    }
}
