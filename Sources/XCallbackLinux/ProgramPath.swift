import CLinux
import Glibc

/// Returns the path of the program that a process runs, as bytes.
///
/// After an upgrade has replaced the file, the kernel appends " (deleted)" to its path. The result is the path of the new
/// file, unless the file name really ends this way.
///
/// - Parameter process: The process ID, or "self".
/// - Returns: The path; the file may no longer exist.
/// - Throws: ``SystemError`` if there is no permission to inspect the process.
package func programPath(ofProcess process: String = "self") throws(SystemError) -> [UInt8] {
    let link = "/proc/\(process)/exe"
    var text = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = try SystemError.check("readlink '\(link)'") { Int32(readlink(link, &text, text.count - 1)) }
    let mark = Array(" (deleted)".utf8)
    let path = text[..<Int(count)].map { UInt8(bitPattern: $0) }
    guard path.suffix(mark.count).elementsEqual(mark) else { return path }
    let isThere = FileIdentity(ofFile: String(decoding: path, as: UTF8.self)) == FileIdentity(ofFile: link)
    return isThere ? path : path.dropLast(mark.count)
}

/// Returns a path without links; nil if nothing exists there.
package func realPath(_ path: String) -> String? {
    guard let text = realpath(path, nil) else { return nil }
    defer { free(text) }
    return String(cString: text)
}
