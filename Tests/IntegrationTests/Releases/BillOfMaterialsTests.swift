import Glibc
import TestSupport
import Testing
import XCallbackTesting

/// The bill of materials, as a third-party tool reads it.
@Suite(
    .blocking,
    .enabled(if: PythonPackages.arePresent, "'make python-packages' fetches the Python packages"))
struct BillOfMaterialsTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    @Test func theBillOfMaterialsIsValid() throws {
        let path = directory.path(of: "xcallbackd.spdx.json")
        let folder = try LinkedProgram(installed: "xcallbackd").path.dropLast("/xcallbackd".count)
        let process = try ChildProcess(
            ["\(packageFolder)/Tests/Release/sbom", String(folder), String(folder)],
            environment: ["PATH=\(getenv("PATH").map { String(cString: $0) } ?? "")"],
            output: path, error: directory.path(of: "errors"))
        let status = try process.wait()
        let errors = try directory.text(of: "errors")
        #expect(status == 0, "\(errors)")
        let script = """
            import sys
            from spdx_tools.spdx.parser.parse_anything import parse_file
            from spdx_tools.spdx.validation.document_validator import validate_full_spdx_document
            document = parse_file(sys.argv[1])
            for message in validate_full_spdx_document(document):
                print(message)
            print(*sorted(file.name for file in document.files), *sorted(package.name for package in document.packages))
            """
        let report = try PythonPackages.run(["-c", script, path], in: directory)
        let names = report.output.split { $0 == " " || $0 == "\n" }
        #expect(names.starts(with: ["./bin/xcallback", "./bin/xcallbackd"]), "\(report.output)")
        let linked: Set<Substring> = ["glibc", "libyaml", "swift-argument-parser", "swift-foundation", "swift-log"]
        #expect(Set(names).isSuperset(of: linked))
    }

    @Test(arguments: ["_FoundationCollections", "libdispatch.a"])
    func codeThatNoRowExplainsIsAnError(name: String) throws {
        let folder = try LinkedProgram(installed: "xcallbackd").path.dropLast("/xcallbackd".count)
        let script = """
            import sys
            sys.argv, sys.stderr = sys.argv[1:], sys.stdout
            with open(sys.argv[0]) as file:
                text = file.read().replace('"\(name)":', '"other":')
            exec(compile(text, sys.argv[0], "exec"), {"__file__": sys.argv[0]})
            """
        let words = ["/usr/bin/env", "python3", "-c", script, "\(packageFolder)/Tests/Release/sbom"]
        let (status, output) = try ChildProcess.run(
            words + [String(folder), String(folder)],
            environment: ["PATH=\(getenv("PATH").map { String(cString: $0) } ?? "")"], within: .seconds(600))
        #expect(status == 1)
        #expect(output.contains("explains: \(name). Add it with its license"), "\(output)")
    }
}
