import XCallbackBytes

/// Writes the decoded form of a value, as ``decode(_:_:from:plainTo:until:to:)`` describes.
@inline(never)
func decodeValue(
    _ bytes: UnsafeMutableBufferPointer<UInt8>, _ count: Int, from start: Int, plainTo plainEnd: Int, to target: Int
) -> (received: Int, decoded: Int)? {
    decode(bytes, count, from: start, plainTo: plainEnd, until: .value, to: target)
}

/// Writes the decoded form of a name or a segment, as ``decode(_:_:from:plainTo:until:to:)`` describes.
@inline(never)
func decodeName(
    _ bytes: UnsafeMutableBufferPointer<UInt8>, _ count: Int, from start: Int, plainTo plainEnd: Int,
    until stops: ByteClass, to target: Int
) -> (received: Int, decoded: Int)? {
    decode(bytes, count, from: start, plainTo: plainEnd, until: stops, to: target)
}

/// Writes the decoded form of a part.
///
/// - Parameters:
///   - bytes: The URL with the mark behind it.
///   - count: How many bytes the URL has.
///   - start: Where the part begins.
///   - plainEnd: Up to where it stands for itself.
///   - stops: The classes of which one ends the part.
///   - target: Where the decoded form begins.
/// - Returns: Where the part and its decoded form end; nil if it does not decode, or holds a raw control character.
@inline(__always)
private func decode(
    _ bytes: UnsafeMutableBufferPointer<UInt8>, _ count: Int, from start: Int, plainTo plainEnd: Int,
    until stops: ByteClass, to target: Int
) -> (received: Int, decoded: Int)? {
    // The decoded form lies behind the part, so that a block may be written beyond its end.
    var position = start
    while position < plainEnd {
        ByteBlock(bytes, at: position).write(to: bytes, at: target &+ (position &- start))
        position &+= ByteBlock.size
    }
    position = plainEnd
    var end = target &+ (plainEnd &- start)
    var allBits: UInt8 = 0
    while true {
        while bytes[position] == UInt8(ascii: "%") {
            // The mark is no digit, so that nothing behind it is taken for one.
            guard let escaped = escapedByte(bytes[position &+ 1], bytes[position &+ 2]), escaped != 0 else {
                return nil
            }
            bytes[end] = escaped
            allBits |= escaped
            end &+= 1
            position &+= 3
        }
        // Not only what is plain is written, but what follows it is written again.
        let block = ByteBlock(bytes, at: position)
        block.write(to: bytes, at: end)
        let length = block.plainLength(until: stops)
        position &+= length
        end &+= length
        if length == ByteBlock.size { continue }
        let next = ByteClass(bytes[position])
        if next == .percent { continue }
        if !next.isDisjoint(with: stops.union(.control)) { break }
        // What is not ASCII, or only taken for something else.
        repeat {
            bytes[end] = bytes[position]
            allBits |= bytes[position]
            end &+= 1
            position &+= 1
        } while bytes[position] >= 0x80
    }
    guard position == count || ByteClass(bytes[position]) != .control,
        allBits < 0x80 || isUTF8(bytes.span.extracting(target..<end))
    else { return nil }
    return (position, end)
}
