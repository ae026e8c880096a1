import Glibc
import Testing
import XCallbackTesting

/// The files of a release, as third-party tools read them.
@Suite(
    .blocking,
    .enabled(if: PythonPackages.arePresent, "'make python-packages' fetches the Python packages"),
    .timeLimit(.minutes(10)))
struct ReleaseFileTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    @Test func theBillOfMaterialsIsValid() throws {
        let path = directory.path(of: "xcallbackd.spdx.json")
        let folder = try ReleaseBuild.program("xcallbackd").dropLast("/xcallbackd".count)
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
            names = {package.spdx_id: package.name for package in document.packages}
            for program in sorted(document.files, key=lambda file: file.name):
                kinds = {}
                for relation in document.relationships:
                    if relation.spdx_element_id == program.spdx_id:
                        kind = relation.relationship_type.name
                        kinds.setdefault(kind, []).append(names[relation.related_spdx_element_id])
                print(program.name, *(f"{kind}: {' '.join(sorted(kinds[kind]))}" for kind in sorted(kinds)))
            """
        let report = try PythonPackages.run(["-c", script, path], in: directory)
        let shared = "libgcc libstdc++ libyaml"
        let swift = "swift-corelibs-libdispatch swift-log swift-runtime"
        #expect(
            report.output == """
                ./bin/xcallback DYNAMIC_LINK: glibc STATIC_LINK: \(shared) swift-argument-parser \(swift)
                ./bin/xcallbackd DYNAMIC_LINK: glibc libsystemd STATIC_LINK: libgcc libmd libstdc++ libyaml \(swift)

                """)
    }

    static let files = [
        ("vendor.github-workflows", "workflows/ci.yml"), ("vendor.github-workflows", "workflows/nightly.yml"),
        ("vendor.github-workflows", "workflows/release.yml"), ("vendor.github-issue-forms", "ISSUE_TEMPLATE/bug.yml"),
        ("vendor.github-issue-forms", "ISSUE_TEMPLATE/feature.yml"),
        ("vendor.github-issue-config", "ISSUE_TEMPLATE/config.yml"), ("vendor.dependabot", "dependabot.yml"),
    ]

    @Test(arguments: files)
    func gitHubUnderstandsItsFiles(schema: String, file: String) throws {
        let report = try PythonPackages.run(
            ["-m", "check_jsonschema", "--builtin-schema", schema, "\(packageFolder)/.github/\(file)"], in: directory)
        #expect(report.status == 0, "\(report.output)")
    }

    /// A tag can be moved to another commit.
    @Test(arguments: ["ci", "nightly", "release"])
    func actionsAreNamedByTheirCommit(name: String) throws {
        let lines = try textOfPackageFile(".github/workflows/\(name).yml").split(separator: "\n")
        let actions = lines.filter { $0.contains("uses:") }
        #expect(!actions.isEmpty)
        for action in actions { #expect(action.contains(/@[0-9a-f]{40} # v[0-9.]+$/), "\(action)") }
    }
}
