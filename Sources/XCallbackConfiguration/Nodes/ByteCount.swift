/// The written forms of sizes: `512`, `64KiB`, `1MiB`.
enum ByteCount {
    private static let units: [(name: String, bytes: Int)] = [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)]

    /// Returns the number of bytes for a text; nil if it does not have one of these forms.
    static func bytes(_ text: String) -> Int? {
        let unit = units.first { text.hasSuffix($0.name) }
        guard let count = Int(decimal: text.dropLast(unit?.name.count ?? 0)), count >= 0 else { return nil }
        let (bytes, isOverflow) = count.multipliedReportingOverflow(by: unit?.bytes ?? 1)
        return isOverflow ? nil : bytes
    }

    /// Returns the text for a number of bytes, in the largest unit without a remainder.
    static func text(_ bytes: Int) -> String {
        guard bytes > 0, let unit = units.first(where: { bytes % $0.bytes == 0 }) else { return "\(bytes)" }
        return "\(bytes / unit.bytes)\(unit.name)"
    }
}
