import Glibc
import XCallbackLinux

/// Why a program cannot be started, as far as the file system shows, with the command that helps.
package struct ProgramObstacle: Hashable, Sendable, CustomStringConvertible {
    /// The error of a start.
    package let code: Int32
    /// The reason, in a few words.
    package let description: String

    private init(_ code: Int32, _ description: String) {
        self.code = code
        self.description = description
    }

    /// Finds why a program cannot be started; nil if no reason is known.
    ///
    /// - Parameters:
    ///   - name: The name of the program, or a path, which contains a slash.
    ///   - folders: The folders in which programs are found.
    package init?(starting name: String, in folders: ProgramFolders) {
        if let path = folders.path(of: name) {
            self.init(interpreterOf: path, in: folders)
        } else if let path = folders.existingPath(of: name) {
            self.init(file: path)
        } else {
            let elsewhere = ProgramFolders.usual.path(of: name)
            let help = elsewhere.map { "write its path, '\($0)'" } ?? "install it, or write its whole path"
            self.init(ENOENT, "program '\(name)' is not in the PATH (\(folders)): \(help)")
        }
    }

    /// Finds why a folder cannot be a working directory; nil if it can.
    package init?(entering folder: String) {
        var status = stat()
        if stat(folder, &status) != 0 {
            let code = errno
            let help = code == ENOENT ? "does not exist: run 'mkdir -p \(folder.shellWord)'" : systemMessage(code)
            self.init(code, "the folder '\(folder)' \(help)")
        } else if status.st_mode & S_IFMT != S_IFDIR {
            self.init(ENOTDIR, "'\(folder)' is not a folder")
        } else if access(folder, X_OK) != 0 {
            self.init(EACCES, "the folder '\(folder)' cannot be entered: \(systemMessage(EACCES))")
        } else {
            return nil
        }
    }

    /// Creates the reason why a path is not that of a program.
    private init(file path: String) {
        var status = stat()
        if stat(path, &status) != 0 {
            let code = errno
            let isMissing = [ENOENT, ENOTDIR].contains(code)
            self.init(isMissing ? ENOENT : code, "'\(path)' \(isMissing ? "does not exist" : systemMessage(code))")
            return
        }
        switch status.st_mode & S_IFMT {
        case S_IFREG where status.st_mode & 0o111 != 0:
            self.init(EACCES, "'\(path)' may not be run by uid \(geteuid()), or its file system is mounted 'noexec'")
        case S_IFREG: self.init(EACCES, "'\(path)' is not executable: run 'chmod +x \(path.shellWord)'")
        case S_IFDIR: self.init(EACCES, "'\(path)' is a folder")
        default: self.init(EACCES, "'\(path)' is not a file")
        }
    }

    /// Finds whether a script lacks the program that its first line names, or the first line.
    private init?(interpreterOf path: String, in folders: ProgramFolders) {
        // As many bytes as the kernel reads.
        guard let start = try? SmallFile(path, atMost: 256).bytes[...] else { return nil }
        let line = start.prefix { $0 != UInt8(ascii: "\n") }
        guard line.starts(with: "#!".utf8) else {
            self.init(startOfOther: start, path)
            return
        }
        let words = line.dropFirst(2).split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
            .map { String(decoding: $0, as: UTF8.self) }
        guard let interpreter = words.first else { return nil }
        if interpreter.hasSuffix("\r") || words.last?.hasSuffix("\r") == true {
            let help = "run 'sed -i \"s/\\r$//\" \(path.shellWord)'"
            self.init(ENOENT, "'\(path)' has the line ends of Windows, so its first line names no program: \(help)")
        } else if access(interpreter, F_OK) != 0 {
            self.init(ENOENT, "'\(path)' wants '\(interpreter)', which does not exist: install it, or change line 1")
        } else if interpreter.hasSuffix("/env"), words.count == 2, folders.path(of: words[1]) == nil {
            let help = "install it, or change line 1"
            self.init(ENOENT, "'\(path)' wants '\(words[1])', which is not in the PATH (\(folders)): \(help)")
        } else {
            return nil
        }
    }

    /// Finds why a file without `#!` is no script; nil if it may be a program in machine code.
    private init?(startOfOther start: ArraySlice<UInt8>, _ path: String) {
        let file = path.shellWord
        if start.starts(with: [0xEF, 0xBB, 0xBF]) {
            let help = #"run 'sed -i "1s/^\xef\xbb\xbf//" \#(file)'"#
            self.init(ENOEXEC, "'\(path)' begins with a byte order mark, so the kernel finds no '#!': \(help)")
        } else if start.isEmpty {
            self.init(ENOEXEC, "'\(path)' is empty")
        } else if !start.contains(0) {
            let interpreter = path.hasSuffix(".py") ? #"/usr/bin/env\ python3"# : "/bin/sh"
            // In a shell for people, '!' begins a word of its history.
            let help = ##"run 'sed -i 1i\\#\\!\##(interpreter) \##(file)'"##
            self.init(ENOEXEC, "'\(path)' is a script whose first line does not name a program: \(help)")
        } else {
            return nil
        }
    }

}

/// The folders in which programs are found: those in `PATH`.
package struct ProgramFolders: Sendable {
    private let folders: [String]

    /// The folders that a shell may have in its `PATH`, and the daemon not.
    static var usual: Self {
        let home = variable("HOME") ?? ""
        return Self("\(home)/.local/bin:\(home)/bin:/usr/local/bin:/usr/games:/snap/bin:/usr/sbin")
    }

    /// Creates the list from the `PATH` of this process.
    package init() {
        self.init(getenv("PATH").map { String(cString: $0) } ?? ProgramEnvironment.defaultPath)
    }

    /// Creates the list from a value of `PATH`.
    package init(_ path: String) {
        // An empty entry means the current directory.
        folders = path.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false).map { folder in
            folder.isEmpty ? "." : String(Substring(folder))
        }
    }

    /// Looks for a program.
    ///
    /// - Parameter name: The name, or a path, which contains a slash.
    /// - Returns: The current path of the program; nil if it does not exist.
    package func path(of name: String) -> String? { paths(of: name).first(where: Self.isProgram) }

    /// Returns a path itself, or the path of a file with a name, which need not be a program; nil if there is none.
    func existingPath(of name: String) -> String? {
        let paths = paths(of: name)
        return paths == [name] ? name : paths.first { access($0, F_OK) == 0 }
    }

    private func paths(of name: String) -> [String] {
        name.utf8.contains(UInt8(ascii: "/")) ? [name] : folders.map { "\($0)/\(name)" }
    }

    private static func isProgram(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
    }
}

extension ProgramFolders: CustomStringConvertible {
    /// The folders in the format of `PATH`.
    package var description: String { folders.joined(separator: ":") }
}
