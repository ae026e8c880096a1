import Glibc
import XCallbackLinux

/// The folder of the examples that are installed with the command.
struct ExampleFolder {
    /// Its path.
    let path: String

    /// Finds the folder of the running command, in its installation or in the source tree where it was built.
    ///
    /// - Throws: ``Failure`` if there is no such folder.
    init() throws(Failure) {
        let program: String
        do throws(SystemError) {
            program = String(decoding: try programPath(), as: UTF8.self)
        } catch {
            throw Failure(.errorAnswer, "cannot find the path of this program: \(error)")
        }
        let candidates = Self.candidates(of: program)
        guard let path = candidates.first(where: { access($0, R_OK | X_OK) == 0 }) else {
            throw Failure(
                .errorAnswer,
                "the examples are missing: no folder \(candidates.map { "'\($0)'" }.joined(separator: " or "))\n"
                    + "reinstall xcallbackd")
        }
        self.path = path
    }

    /// Returns the possible folders of a command's examples.
    ///
    /// - Parameter program: The path of the command.
    /// - Returns: The paths, by precedence.
    private static func candidates(of program: String) -> [String] {
        let parts = program.split(separator: "/", omittingEmptySubsequences: false)
        let installed = parts.dropLast(2).joined(separator: "/") + "/share/xcallbackd/examples"
        guard let build = parts.firstIndex(of: ".build") else { return [installed] }
        return [parts[..<build].joined(separator: "/") + "/config/examples", installed]
    }

    /// The names of the examples, in order.
    ///
    /// - Throws: ``Failure`` if the folder cannot be read.
    func names() throws(Failure) -> [String] {
        var names: [String] = []
        for entry in try Self.entries(of: path) {
            let name = entry.hasSuffix(".yaml") ? String(entry.dropLast(".yaml".count)) : entry
            if file(of: name) != nil { names.append(name) }
        }
        return names
    }

    /// Reads an example.
    ///
    /// - Throws: ``Failure`` if it does not exist, or cannot be read.
    func example(named name: String) throws(Failure) -> Example {
        guard let file = file(of: name), let text = try UserFile(path: file).read() else {
            let names = try names().joined(separator: ", ")
            throw Failure(.usage, "no example is called '\(name.withVisibleControls)': there are \(names)")
        }
        return Example(name: name, text: text, programs: try programs(of: name))
    }

    /// Returns the file of an example, which is in the folder, or with its programs in a subfolder.
    private func file(of name: String) -> String? {
        guard !name.hasPrefix("."), name.hasOnlyAlphanumerics(and: "._-") else { return nil }
        return ["\(path)/\(name).yaml", "\(path)/\(name)/\(name).yaml"].first { access($0, R_OK) == 0 }
    }

    private func programs(of name: String) throws(Failure) -> [Example.Program] {
        let folder = "\(path)/\(name)"
        guard access("\(folder)/\(name).yaml", R_OK) == 0 else { return [] }
        var programs: [Example.Program] = []
        for entry in try Self.entries(of: folder) where ToolRun.isExecutable("\(folder)/\(entry)") {
            guard let text = try UserFile(path: "\(folder)/\(entry)").read() else { continue }
            programs.append(Example.Program(name: entry, text: text))
        }
        return programs
    }

    private static func entries(of folder: String) throws(Failure) -> [String] {
        guard let entries = FolderEntries(of: folder) else {
            throw Failure(.errorAnswer, "cannot read the folder '\(folder)': \(systemMessage(errno))")
        }
        return entries.names
    }
}
