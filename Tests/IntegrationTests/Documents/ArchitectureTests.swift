import TestSupport
import Testing
import XCallbackTesting

/// What the page on the architecture says of modules and files.
struct ArchitectureTests {
    private let page: String

    init() throws {
        page = try textOfPackageFile("Docs/Internals/Architecture.md")
    }

    @Test func eachFileExists() {
        let files = packageFiles(below: "Sources", endingIn: ".swift").map { $0.replacing("/XCallback", with: "/") }
        for name in page.matches(of: /`([A-Za-z+\/]+\.swift)`/).map(\.1) {
            #expect(files.contains { $0.hasSuffix("/\(name)") }, "\(name)")
        }
    }

    /// An import of what another import needs anyway is not drawn.
    @Test func thePictureShowsTheImports() throws {
        let modules = Set(packageFiles(below: "Sources", endingIn: "").map(Self.module))
        var imports: [String: Set<String>] = [:]
        for file in packageFiles(below: "Sources", endingIn: ".swift") {
            let names = try textOfPackageFile(file).matches(of: /(?m)^ *(?:@_exported )?(?:\w+ )?import (\w+)$/)
            imports[Self.module(file), default: []].formUnion(
                names.map { Self.short($0.1) }.filter { modules.contains($0) && $0 != Self.module(file) })
        }
        func all(_ module: String) -> Set<String> {
            (imports[module] ?? []).reduce(into: []) { $0.formUnion(all($1).union([$1])) }
        }
        let needed = imports.flatMap { module, names in
            names.filter { name in !names.contains { all($0).contains(name) } }.map { "\(module) --> \($0)" }
        }
        let drawn = page.matches(of: /(?m)^ {4}\w+ --> \w+$/).map { $0.0.drop { $0 == " " } }
        #expect(drawn.map(String.init).sorted() == needed.sorted())
    }

    private static func module(_ file: String) -> String { short(file.split(separator: "/")[1]) }

    private static func short(_ module: Substring) -> String {
        module.count > "XCallback".count && module.hasPrefix("XCallback")
            ? String(module.dropFirst("XCallback".count)) : String(module)
    }
}
