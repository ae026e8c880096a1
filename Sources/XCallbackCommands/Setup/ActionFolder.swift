import Glibc
import XCallbackBuiltIns
import XCallbackConfiguration
import XCallbackLinux

/// The files of an action, each of which is read once: what is shown is what is written.
package struct ActionFolder: Sendable {
    /// The maximum number of files.
    private static let countLimit = 1_000
    /// The maximum number of bytes in all.
    static let sizeLimit = 16 << 20

    /// The path of the folder.
    package let path: String
    /// The files with their paths in the folder, in the order of their names, without hidden ones.
    package private(set) var files: [WrittenFile] = []
    /// The number that stands for the paths, the modes and the contents of the files: SHA-256 in hexadecimal digits.
    private(set) var hash = ""
    private let isInstalled: Bool
    private var size: Int { files.reduce(0) { $0 + $1.bytes.count } }

    /// Reads a folder.
    ///
    /// - Parameters:
    ///   - path: Its path.
    ///   - isInstalled: Whether it comes with this program, whoever owns both.
    /// - Throws: ``Failure`` if anything in it is a link or a special file, belongs to another user, has an odd name, or is too
    ///   large.
    package init(_ path: String, isInstalled: Bool = false) throws(Failure) {
        self.path = realPath(path) ?? path
        self.isInstalled = isInstalled
        let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw failure("", systemMessage(errno)) }
        try read(Descriptor(folder), "")
        let bytes = files.flatMap { file in
            Array("\(file.path)\0\(file.isProgram)\0\(file.bytes.count)\0".utf8) + file.bytes
        }
        hash = String(try output(of: ["sha256sum"], on: bytes).prefix(64))
    }

    private mutating func read(_ folder: borrowing Descriptor, _ prefix: String) throws(Failure) {
        for name in visibleEntries(of: "/proc/self/fd/\(folder.number)") {
            let path = prefix + name
            guard name.hasOnlyAlphanumerics(and: "._+-@") else {
                throw failure(path, "expected a name of letters of ASCII, digits and '._+-@'")
            }
            let subfolder = openat(folder.number, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            if subfolder >= 0 {
                try read(Descriptor(subfolder), "\(path)/")
            } else {
                let limit = Self.sizeLimit - size + 1
                let file = try? SmallFile(name, in: folder.number, isFollowed: false, atMost: limit)
                guard let file, isInstalled || [0, geteuid()].contains(file.owner) else {
                    throw failure(
                        path, "expected a file of your own that can be read, and neither a link nor a special file")
                }
                files.append(WrittenFile(path: path, bytes: file.bytes, isProgram: file.mode & 0o100 != 0))
            }
            guard files.count <= Self.countLimit, size <= Self.sizeLimit else {
                throw failure("", "more than \(Self.countLimit) files, or more than \(Self.sizeLimit >> 20) MiB")
            }
        }
    }

    private func failure(_ name: String, _ problem: String) -> Failure {
        Failure("'\((name.isEmpty ? path : "\(path)/\(name)").withVisibleControls)': \(problem); nothing was changed")
    }

    /// The file with the routes: the one with the name of the folder, or the only one with the suffix `.yaml`.
    package var dropIn: WrittenFile {
        get throws(Failure) {
            let found = files.filter { $0.path.hasSuffix(".yaml") && !$0.path.contains("/") && $0.text != nil }
            let named = found.first { $0.path == "\(path.fileName).yaml" }
            if let file = named ?? (found.count == 1 ? found[0] : nil) {
                // A command would read '-y' as an option, and the daemon 'x.yaml' as a file.
                if !file.path.hasPrefix("-"), !file.path.withoutSuffix.hasSuffix(".yaml") { return file }
                throw failure(file.path, "expected a name without '-' at its start and another '.yaml' at its end")
            }
            let problem = "expected one file NAME.yaml with the routes, in UTF-8, found \(found.count)"
            let names = files.map(\.path).filter { $0 == "\($0.parent)/\($0.parent).yaml" }.map(\.parent)
            let words = names.joined(separator: " ")
            let advice = names.isEmpty ? "" : "\nname its actions: xcallback setup \(path.shellWord) \(words)"
            throw Failure(failure("", problem).message + advice)
        }
    }
}

/// Returns the output of a tool that every system has, and that reads bytes as its last argument.
func output(of words: [String], on bytes: [UInt8]) throws(Failure) -> String {
    guard let file = try? Descriptor(inMemory: bytes) else { throw Failure("out of memory; nothing was changed") }
    let run = ToolRun(asking: words + ["/proc/\(getpid())/fd/\(file.number)"], atMost: 1 << 26)
    if run.ending == .exited(0) || run.ending == .exited(1) && !run.output.isEmpty { return run.output }
    throw Failure("'\(words[0])' \(run.ending.text); nothing was changed")
}

extension String {
    /// Returns a drop-in with keys of its routes switched off: `public`, `agent` and `allow-code`.
    ///
    /// - Throws: ``Failure`` if a value is not written so that its place is certain.
    package func switchingOff(_ keys: Set<String>) throws(Failure) -> String {
        var lines = unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map { String($0) }
        for member in switches(among: keys).reversed() {
            let (place, value) = (member.value.place, member.value.lineText)
            let line = lines[place.line - 1]
            let rest = line.dropFirst(place.column - 1)
            guard rest.hasPrefix(value) else {
                let text = "expected '\(member.key): \(value.withVisibleControls)', without quotes and '&'"
                throw Failure(.configuration, "line \(place.line): \(text); nothing was changed")
            }
            lines[place.line - 1] = line.prefix(place.column - 1) + "false" + rest.dropFirst(value.count)
        }
        return lines.joined(separator: "\n")
    }

    /// The keys of a drop-in that switch something on.
    func switches(among keys: Set<String>) -> [Node.Member] {
        members { parent, member in
            keys.contains(member.key) && (member.key == "allow-code" || parent.has("route"))
                && member.value.truth != false && !member.value.lineText.isEmpty
        }
    }

    /// Returns the members of the mappings in a YAML text for which a function returns true.
    func members(where isIncluded: (Node, Node.Member) -> Bool) -> [Node.Member] {
        let node = DocumentReader(ownership: .any).parse(self, name: "", faults: FaultList())
        return node?.members(where: isIncluded) ?? []
    }
}

extension Node {
    fileprivate func members(where isIncluded: (Node, Member) -> Bool) -> [Member] {
        switch content {
        case .scalar: []
        case .sequence(let items): items.flatMap { $0.members(where: isIncluded) }
        case .mapping(let all):
            all.flatMap { (isIncluded(self, $0) ? [$0] : []) + $0.value.members(where: isIncluded) }
        }
    }

    /// What it says, on one line.
    var words: String {
        switch content {
        case .scalar(let scalar): scalar.text
        case .sequence(let items): items.map(\.words).joined(separator: " ")
        case .mapping(let members): members.map { "\($0.key)=\($0.value.words)" }.joined(separator: " ")
        }
    }
}
