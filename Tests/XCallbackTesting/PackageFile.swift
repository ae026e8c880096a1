/// The folder of the package that is tested.
package let packageFolder = #filePath.split(separator: "/").dropLast(3).reduce("") { "\($0)/\($1)" }

/// Reads a file of the package.
///
/// - Parameter path: Its path below the package's folder.
/// - Returns: Its text.
/// - Throws: ``TestFailure`` if it cannot be read.
package func textOfPackageFile(_ path: String) throws -> String {
    try textOfFile("\(packageFolder)/\(path)")
}
