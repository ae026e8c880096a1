import Glibc

/// The folder of the package that is tested: the first one above this file that holds a manifest.
package let packageFolder: String = {
    var folder = #filePath[...]
    repeat {
        folder = folder[..<(folder.lastIndex(of: "/") ?? folder.startIndex)]
    } while !folder.isEmpty && access("\(folder)/Package.swift", F_OK) != 0
    return String(folder)
}()

/// Reads a file of the package.
///
/// - Parameter path: Its path below the package's folder.
/// - Returns: Its text.
/// - Throws: ``TestFailure`` if it cannot be read.
package func textOfPackageFile(_ path: String) throws -> String {
    try textOfFile("\(packageFolder)/\(path)")
}
