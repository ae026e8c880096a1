/// A partition of the bytes into classes, such that no set of a collection separates two bytes of a class.
struct ByteClasses {
    /// The class of each byte.
    private(set) var classes: [Int] = []
    /// A byte of each class, preferably a readable one.
    private(set) var representatives: [UInt8] = []

    var count: Int { representatives.count }

    /// Creates the classes for sets.
    init(of sets: some Sequence<ByteSet>) {
        classes = Array(repeating: 0, count: 256)
        var count = 1
        for set in Set(sets) {
            // The bytes of each class that are in the set form a new class, unless the whole class is in the set.
            var inside = Array(repeating: -1, count: count)
            var isSplit = Array(repeating: false, count: count)
            for byte in 0..<256 where !set.contains(UInt8(byte)) { isSplit[classes[byte]] = true }
            for byte in 0..<256 where set.contains(UInt8(byte)) && isSplit[classes[byte]] {
                let old = classes[byte]
                if inside[old] < 0 {
                    inside[old] = count
                    count += 1
                }
                classes[byte] = inside[old]
            }
        }
        var numbers = Array(repeating: -1, count: count)
        for byte in Self.preferred {
            if numbers[classes[Int(byte)]] < 0 {
                numbers[classes[Int(byte)]] = representatives.count
                representatives.append(byte)
            }
        }
        for byte in 0..<256 { classes[byte] = numbers[classes[byte]] }
    }

    /// All bytes, the most readable ones in a URL first.
    private static let preferred: [UInt8] = {
        let first = Array("abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-_.~".utf8)
        let printable = (0x21...0x7E).filter { !first.contains($0) }
        return first + printable + (0...0x20).map { UInt8($0) } + (0x7F...0xFF).map { UInt8($0) }
    }()
}
