import Glibc
import XCallbackFuzzing

/// The target that the environment names.
private let target: FuzzTarget = {
    let name = getenv("FUZZ_TARGET").map { String(cString: $0) } ?? ""
    guard let target = FuzzTarget(rawValue: name) else {
        fatalError("FUZZ_TARGET must be one of \(FuzzTarget.allCases.map(\.rawValue))")
    }
    return target
}()

/// Runs the target on an input; a finding ends the process.
///
/// libFuzzer, which brings the `main`, calls it again and again.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    do {
        try target.check(Array(UnsafeBufferPointer(start: bytes, count: count)))
    } catch {
        let message = Array("\(target.rawValue): \(error)\n".utf8)
        _ = write(STDERR_FILENO, message, message.count)
        abort()
    }
    return 0
}

/// The options of the address sanitizer.
///
/// It does not search for leaks: it takes what only globals refer to for leaked where Swift keeps bits of its own in the
/// reference.
@_cdecl("__asan_default_options")
public func sanitizerOptions() -> UnsafePointer<UInt8> {
    let options: StaticString = "detect_leaks=0"
    return options.utf8Start
}
