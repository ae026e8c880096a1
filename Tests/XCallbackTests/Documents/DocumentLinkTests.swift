import Glibc
import TestSupport
import Testing
import XCallbackTesting

/// The links of the documents.
struct DocumentLinkTests {
    static let pages = packageFiles(below: "Docs", endingIn: ".md")
    static let documents = ["README.md", "CONTRIBUTING.md"] + pages
    /// Where `make stage` puts files and folders below `share`, and where they are in the package.
    private static let installed =
        [
            ("doc/xcallbackd/README.md", "README.md"), ("doc/xcallbackd/CHANGELOG.md", "CHANGELOG.md"),
            ("doc/xcallbackd/Docs/README.md", "Docs/README.md"),
            ("doc/xcallbackd/examples/config.yaml", "config/config.yaml"),
            ("doc/xcallbackd/examples/system.yaml", "config/system.yaml"),
            ("xcallbackd/xcallbackd.schema.json", "config/xcallbackd.schema.json"),
            ("xcallbackd/examples/", "config/examples/"),
            ("doc/xcallbackd/Docs/Library/", "Sources/XCallback/XCallback.docc/"),
        ]
        + ["Tutorials", "HowTo", "Reference", "Explanation", "Images", "Examples"].map {
            ("doc/xcallbackd/Docs/\($0)/", "Docs/\($0)/")
        }

    /// The lines of a document that are not in a fenced block.
    private static func prose(of file: String) throws -> [Substring] {
        prose(in: try textOfPackageFile(file))
    }

    private static func prose(in text: String) -> [Substring] {
        var isFenced = false
        return text.split(separator: "\n", omittingEmptySubsequences: false).filter { line in
            if line.hasPrefix("```") {
                isFenced.toggle()
                return false
            }
            return !isFenced
        }
    }

    /// The name that a heading has in a link.
    private static func anchor(of heading: Substring) -> String {
        let words = heading.drop { $0 == "#" }.drop { $0 == " " }.lowercased()
        return String(words.filter { $0.isLetter || $0.isNumber || "-_ ".contains($0) }).replacing(" ", with: "-")
    }

    private static func anchors(of file: String) throws -> Set<String> {
        Set(try prose(of: file).filter { $0.hasPrefix("#") }.map { anchor(of: $0) })
    }

    /// Where the links and pictures of a document lead, but those to other machines and to the releases on the
    /// repository's host.
    private static func targets(of file: String) throws -> [String] {
        targets(in: try textOfPackageFile(file))
    }

    private static func targets(in text: String) -> [String] {
        let text = prose(in: text).joined(separator: "\n").replacing(/`[^`]*`/, with: "")
        let links = text.matches(of: /\]\(([^()\s]+)\)/).map { String($0.1) }
        let pictures = text.matches(of: /src(?:set)?="([^"]+)"/).map { String($0.1) }
        return (links + pictures).filter { $0.prefixMatch(of: /[a-z]+:|(\.\.\/)+releases$/) == nil }
    }

    /// The path of a link of a document, below the package's folder.
    private static func path(of link: Substring, in file: String) -> String {
        guard !link.isEmpty else { return file }
        var parts = file.split(separator: "/").dropLast().map(String.init)
        for part in link.split(separator: "/") {
            if part == ".." { _ = parts.popLast() } else { parts.append(String(part)) }
        }
        return parts.joined(separator: "/")
    }

    @Test(arguments: documents)
    func eachLinkLeadsSomewhere(file: String) throws {
        for target in try Self.targets(of: file) {
            let parts = target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
            let path = Self.path(of: parts[0], in: file)
            guard access("\(packageFolder)/\(path)", F_OK) == 0 else {
                Issue.record("\(target) leads to no file")
                continue
            }
            guard parts.count == 2 else { continue }
            expect(try Self.anchors(of: path), "\(target) leads to no heading") { $0.contains(String(parts[1])) }
        }
    }

    @Test func eachInstalledLinkLeadsToAnInstalledFile() throws {
        let script = "\(packageFolder)/Docs/Site/installed.sed"
        let library = packageFiles(below: "Sources/XCallback/XCallback.docc", endingIn: ".md")
        for file in ["README.md", "CHANGELOG.md"] + Self.pages + library where !file.hasPrefix("Docs/Internals/") {
            let result = try ChildProcess.run(["/bin/sed", "-z", "-E", "-f", script, "\(packageFolder)/\(file)"])
            #expect(result.status == 0)
            let place = file.replacing("Sources/XCallback/XCallback.docc/", with: "Docs/Library/")
            for target in Self.targets(in: result.output) {
                let path = Self.path(of: target.prefix { $0 != "#" }, in: "doc/xcallbackd/\(place)")
                let isInstalled = Self.installed.contains { place, source in
                    let file = "\(packageFolder)/\(source)\(path.dropFirst(place.count))"
                    return path.hasPrefix(place) && access(file, F_OK) == 0
                }
                #expect(isInstalled, "\(target) in \(file)")
            }
        }
    }

    /// In comments, units, samples and manual pages; the files of earlier releases stay as they were.
    @Test func eachPageThatOtherFilesNameExists() throws {
        let files =
            ["Sources", "Tests", "config", "systemd", "Docs/man"].flatMap { packageFiles(below: $0, endingIn: "") }
            + ["Makefile", "Package.swift"]
        var count = 0
        for file in files where !file.hasPrefix("Tests/Releases/") {
            guard let text = try? textOfPackageFile(file) else { continue }
            for match in text.matches(of: /Docs\/[A-Za-z\/]+\.md/) {
                count += 1
                #expect(access("\(packageFolder)/\(match.output)", F_OK) == 0, "\(match.output) in \(file)")
            }
        }
        #expect(count > 20)
    }
}
