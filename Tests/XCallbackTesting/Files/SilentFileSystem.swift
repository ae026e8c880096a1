import Dispatch
import Glibc
import Synchronization

/// A mounted file system (FUSE) that does not answer: every access to a file in it waits until it is unmounted.
///
/// It may contain one program, for which it answers until it is silenced. Only root can mount it.
package final class SilentFileSystem {
    /// The mount point.
    package let path: String
    private let server: Server

    /// Whether this process can mount such a file system.
    package static var isAvailable: Bool { geteuid() == 0 && access("/dev/fuse", R_OK | W_OK) == 0 }

    /// Mounts the file system on a folder.
    ///
    /// - Parameters:
    ///   - path: The folder.
    ///   - program: A program that it contains under any name; nil if it is silent from the beginning.
    /// - Throws: ``TestFailure`` if it cannot be mounted.
    package init(at path: String, holding program: String? = nil) throws {
        self.path = path
        let device = try TestFailure.check("open /dev/fuse", open("/dev/fuse", O_RDWR | O_CLOEXEC))
        let file = try TestFailure.check("open", open(program ?? "/dev/null", O_RDONLY | O_CLOEXEC))
        server = Server(device, file)
        let options = "fd=\(device),rootmode=40000,user_id=0,group_id=0,allow_other"
        _ = try TestFailure.check("mount", mount("silent", path, "fuse", 0, options))
        // The kernel accesses no file before its first request, FUSE_INIT, is answered.
        try server.answerNext()
        guard program != nil else { return }
        runOnThread { [server] in while (try? server.answerNext()) != nil {} }
    }

    /// Stops answering.
    package func fallSilent() { server.isSilent.store(true, ordering: .relaxed) }

    /// Answers the pending requests and all following ones.
    package func speak() { server.awaken() }

    deinit {
        // All waiting requests then fail.
        umount2(path, Int32(MNT_FORCE | MNT_DETACH))
        server.awaken()
    }
}

/// Answers the kernel's requests about a file system with a single file (linux/fuse.h, version 7.31).
private final class Server: Sendable {
    private enum Kind: UInt32 {
        case lookup = 1
        case attributes = 3
        case open = 14
        case read = 15
        case start = 26
    }

    private static let headerSize = 40
    let isSilent = Atomic(false)
    private let awakening = DispatchSemaphore(value: 0)
    private let device: Int32
    private let file: Int32

    init(_ device: Int32, _ file: Int32) {
        self.device = device
        self.file = file
    }

    deinit {
        close(device)
        close(file)
    }

    /// Ends the silence.
    func awaken() {
        isSilent.store(false, ordering: .relaxed)
        awakening.signal()
    }

    /// Waits for a request and answers it, unless silenced.
    func answerNext() throws {
        var request = [UInt8](repeating: 0, count: 1 << 17)
        let count = try TestFailure.check("read", Int32(read(device, &request, request.count)))
        guard count >= Self.headerSize else { return }
        while isSilent.load(ordering: .relaxed) { awakening.wait() }
        func number<Number: FixedWidthInteger>(_ offset: Int, as type: Number.Type) -> Number {
            request.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: type) }
        }
        let node = number(16, as: UInt64.self)
        let answer: [UInt8]? =
            switch Kind(rawValue: number(4, as: UInt32.self)) {
            case .start: bytes([7, 31, 65_536, 0, 0, 65_536, 1] as [UInt32], padded: 64)
            // A name stays valid for long; the attributes of a file are requested each time.
            case .lookup: bytes([2, 0, 1_000_000, 0, 0] as [UInt64]) + attributes(of: 2)
            case .attributes: bytes([0, 0] as [UInt64]) + attributes(of: node)
            case .open: bytes([0, 0] as [UInt64])
            case .read:
                part(at: number(Self.headerSize + 8, as: Int.self), number(Self.headerSize + 16, as: UInt32.self))
            case nil: nil
            }
        let head = bytes([UInt32(16 + (answer?.count ?? 0)), answer == nil ? UInt32(bitPattern: -ENOSYS) : 0])
        let reply = head + request[8..<16] + (answer ?? [])
        // Some requests expect no answer, and the kernel rejects one.
        _ = write(device, reply, reply.count)
    }

    /// The attributes of the folder, which is node 1, or of the file in it.
    private func attributes(of node: UInt64) -> [UInt8] {
        var status = stat()
        fstat(file, &status)
        let (size, mode) = node == 1 ? (0, S_IFDIR | 0o755) : (UInt64(status.st_size), S_IFREG | 0o755)
        return bytes([node, size, size / 512 + 1, 0, 0, 0] as [UInt64])
            + bytes([0, 0, 0, mode, 1] as [UInt32], padded: 40)
    }

    private func part(at offset: Int, _ count: UInt32) -> [UInt8] {
        var part = [UInt8](repeating: 0, count: Int(count))
        let count = pread(file, &part, part.count, offset)
        return Array(part.prefix(max(count, 0)))
    }
}

/// Encodes numbers for the kernel, padded with zeros to a size.
private func bytes(_ numbers: [some FixedWidthInteger], padded size: Int = 0) -> [UInt8] {
    let bytes = numbers.flatMap { number in withUnsafeBytes(of: number) { Array($0) } }
    return bytes + Array(repeating: 0, count: max(0, size - bytes.count))
}
