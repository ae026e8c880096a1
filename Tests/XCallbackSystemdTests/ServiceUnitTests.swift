import Glibc
import Testing

struct ServiceUnitTests {
    @Test(.timeLimit(.minutes(10)))
    func theUnitIsValid() throws {
        // Verifying asks for the program too, which is not installed where it is tested.
        let text = try contents(ofFile: Self.unit)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.contains("ExecStart=/usr/bin/xcallbackd"))
        let changed = lines.map { $0.hasPrefix("ExecStart=") ? "ExecStart=/bin/true" : $0 }.joined(separator: "\n")
        try withTemporaryDirectory { directory in
            let copy = "\(directory)/xcallbackd.service"
            try write(changed, toFile: copy)
            let result = try analyze(["verify", "--man=no", copy], outputIn: directory)
            #expect(result.output == "")
            #expect(result.status == 0)
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func theUnitExposesLittle() throws {
        try withTemporaryDirectory { directory in
            let arguments = ["security", "--offline=true", "--threshold=12", "--no-pager", Self.unit]
            let result = try analyze(arguments, outputIn: directory)
            #expect(result.status == 0, "\(result.output)")
            #expect(result.output.contains("Overall exposure level for xcallbackd.service"))
        }
    }

    private static let unit: String = {
        let folders = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        return "/\(folders)/systemd/xcallbackd.service"
    }()

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
