/// Calls a function with C strings: each ends with a NUL, and the array with a null pointer.
package func withPointers<Result>(
    to texts: [[UInt8]], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
    // A single allocation for all strings.
    var bytes: [CChar] = []
    bytes.reserveCapacity(texts.reduce(0) { $0 + $1.count + 1 })
    for text in texts {
        text.withUnsafeBytes { bytes.append(contentsOf: $0.bindMemory(to: CChar.self)) }
        bytes.append(0)
    }
    return bytes.withUnsafeMutableBufferPointer { buffer in
        var pointers: [UnsafeMutablePointer<CChar>?] = []
        pointers.reserveCapacity(texts.count + 1)
        var start = 0
        for text in texts {
            pointers.append(buffer.baseAddress.map { $0 + start })
            start += text.count + 1
        }
        pointers.append(nil)
        return body(pointers)
    }
}
