// Texts that look alike may be other bytes, as `é` and `e` with an accent are. To Swift they are equal; to a request, which is
// compared byte by byte, they are two.
extension String {
    /// Whether two texts are the same byte by byte.
    func isSame(as other: String) -> Bool {
        self == other && utf8.elementsEqual(other.utf8)
    }

    /// Feeds the bytes to a hash.
    func hashBytes(into hasher: inout Hasher) {
        hasher.combine(utf8.count)
        for byte in utf8 { hasher.combine(byte) }
    }
}
