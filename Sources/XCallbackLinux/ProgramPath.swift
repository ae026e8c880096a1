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
    var (file, program) = (xcb_file(), xcb_file())
    let isThere = xcb_file_read(text, 0, &file) == 0 && xcb_file_read(link, 0, &program) == 0
    return isThere && file.device == program.device && file.inode == program.inode ? path : path.dropLast(mark.count)
}
