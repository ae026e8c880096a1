import Glibc

/// The folder of the tested package: the first one above this file with a manifest.
package let packageFolder: String = {
    var folder = #filePath[...]
    repeat {
        folder = folder[..<(folder.lastIndex(of: "/") ?? folder.startIndex)]
    } while !folder.isEmpty && access("\(folder)/Package.swift", F_OK) != 0
    return String(folder)
}()

/// Reads a file of the package.
///
/// - Parameter path: The path relative to the package's folder.
/// - Returns: Its text.
/// - Throws: ``TestFailure`` if it cannot be read.
package func textOfPackageFile(_ path: String) throws -> String {
    try textOfFile("\(packageFolder)/\(path)")
}

/// Lists files of the package.
///
/// - Parameters:
///   - folder: A folder, below that of the package.
///   - suffix: The end of their names.
/// - Returns: The paths of all such files at any depth, relative to the package's folder, sorted. Hidden folders are skipped.
package func packageFiles(below folder: String, endingIn suffix: String) -> [String] {
    guard let entries = opendir("\(packageFolder)/\(folder)") else { return [] }
    defer { closedir(entries) }
    var files: [String] = []
    while let entry = readdir(entries) {
        let name = withUnsafeBytes(of: entry.pointee.d_name) {
            String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
        }
        if name.hasPrefix(".") { continue }
        if Int(entry.pointee.d_type) == Int(DT_DIR) {
            files += packageFiles(below: "\(folder)/\(name)", endingIn: suffix)
        } else if name.hasSuffix(suffix) {
            files.append("\(folder)/\(name)")
        }
    }
    return files.sorted()
}

/// Returns the fenced blocks of a language in a document, each with the line number of its fence, from 1.
package func fencedBlocks(in language: String, of file: String) throws -> [(line: Int, text: String)] {
    var blocks: [(line: Int, text: String)] = []
    var open: (line: Int, isWanted: Bool, text: String)?
    let lines = try textOfPackageFile(file).split(separator: "\n", omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
        guard line.hasPrefix("```") else {
            open?.text += "\(line)\n"
            continue
        }
        if let block = open {
            if block.isWanted { blocks.append((block.line, block.text)) }
            open = nil
        } else {
            open = (index + 1, line == "```\(language)", "")
        }
    }
    return blocks
}
