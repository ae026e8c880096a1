import Glibc
import XCallbackTesting

/// A stream socket that listens at an address.
final class ListeningSocket {
    let descriptor: Int32
    private let address: String

    init(_ address: String) throws {
        self.address = address
        let descriptor = try makeSocket(SOCK_STREAM)
        self.descriptor = descriptor
        _ = try TestFailure.check("bind \(address)", withSocketAddress(address) { bind(descriptor, $0, $1) })
        _ = try TestFailure.check("listen \(address)", listen(descriptor, 1))
    }

    deinit {
        close(descriptor)
        if address.hasPrefix("/") { unlink(address) }
    }
}

/// An address that no other test uses.
enum TestAddress: String, CaseIterable, Codable {
    case path, abstract

    func make() -> String {
        let number = UInt64.random(in: 0 ... .max)
        return self == .path ? "/tmp/xcallbackd-test-\(number)" : "@xcallbackd-test-\(number)"
    }
}
