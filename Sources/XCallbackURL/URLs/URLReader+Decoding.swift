import XCallbackWire

/// Writes the decoded form of a value, like ``decode(_:_:from:plainTo:until:to:)``.
@inline(never)
func decodeValue(
    _ bytes: UnsafeMutableBufferPointer<UInt8>, _ count: Int, from start: Int, plainTo plainEnd: Int, to target: Int
) -> (received: Int, decoded: Int)? {
    decode(bytes, count, from: start, plainTo: plainEnd, until: .value, to: target)
}

/// Writes the decoded form of a name or a segment, like ``decode(_:_:from:plainTo:until:to:)``.
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
///   - bytes: The URL followed by the end mark.
///   - count: The number of bytes of the URL.
///   - start: The start of the part.
///   - plainEnd: The end of the leading bytes that represent themselves.
///   - stops: The classes that end the part.
///   - target: The start of the decoded form.
/// - Returns: The ends of the part and of its decoded form; nil if the part cannot be decoded or contains a raw control
///   character.
@inline(__always)
private func decode(
    _ bytes: UnsafeMutableBufferPointer<UInt8>, _ count: Int, from start: Int, plainTo plainEnd: Int,
    until stops: ByteClass, to target: Int
) -> (received: Int, decoded: Int)? {
    // The decoded form comes after the part, so a block may be written beyond its end.
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
            // The end mark is not a digit, so no byte after it is decoded.
            guard let escaped = escapedByte(bytes[position &+ 1], bytes[position &+ 2]), escaped != 0 else {
                return nil
            }
            bytes[end] = escaped
            allBits |= escaped
            end &+= 1
            position &+= 3
        }
        // The whole block is written; bytes after the plain ones are overwritten later.
        let block = ByteBlock(bytes, at: position)
        block.write(to: bytes, at: end)
        let length = block.plainLength(until: stops)
        position &+= length
        end &+= length
        if length == ByteBlock.size { continue }
        let next = ByteClass(bytes[position])
        if next == .percent { continue }
        if !next.isDisjoint(with: stops.union(.control)) { break }
        // Non-ASCII bytes, or bytes that the block test could not classify.
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
