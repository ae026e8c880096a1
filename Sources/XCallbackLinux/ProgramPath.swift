import CLinux
import Glibc

/// The path of the program that a process runs, as bytes.
///
/// An upgrade replaces the file, and the kernel then shows its path with " (deleted)" behind it. The path is that of the
/// new program, unless the name of the file really ends so.
///
/// - Parameter process: The number of the process, or "self".
/// - Returns: The path, at which there may be no file any more.
/// - Throws: ``SystemError`` if the process may not be looked into.
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
