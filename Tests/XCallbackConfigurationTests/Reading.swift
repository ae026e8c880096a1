import XCallbackConfiguration

/// Reads a text as `config.yaml`, lets it be decoded, and returns the faults as a person sees them.
func printedFaults(
    _ yaml: String,
    limits: DocumentLimits = DocumentLimits(),
    decode: (Node, FaultList) -> Void = { _, _ in }
) -> String {
    printedFaults(Array(yaml.utf8), limits: limits, decode: decode)
}

/// Reads bytes as `config.yaml`, lets them be decoded, and returns the faults as a person sees them.
func printedFaults(
    _ bytes: [UInt8],
    limits: DocumentLimits = DocumentLimits(),
    decode: (Node, FaultList) -> Void = { _, _ in }
) -> String {
    let faults = FaultList()
    let reader = DocumentReader(ownership: .any, limits: limits)
    if let node = reader.parse(bytes, name: "config.yaml", faults: faults) { decode(node, faults) }
    return faults.told.map(\.description).joined(separator: "\n")
}

/// Reads a text as `config.yaml`, and returns the faults without their excerpts.
func faultLines(of yaml: String, decode: (Node, FaultList) -> Void = { _, _ in }) -> [String] {
    printedFaults(yaml, decode: decode).split(separator: "\n").map { String($0) }.filter {
        $0.hasPrefix("config.yaml:")
    }
}

/// Reads a text that has no faults and decodes its value.
func value<Value>(of yaml: String, _ decode: (Node, FaultList) -> Value?) -> Value? {
    let faults = FaultList()
    let node = DocumentReader(ownership: .any).parse(yaml, name: "config.yaml", faults: faults)
    let value = node.flatMap { decode($0, faults) }
    return faults.isEmpty ? value : nil
}

extension FaultList {
    /// The faults that are told.
    var told: [Fault] { error?.faults ?? [] }
}

extension Node {
    /// The value in one line, to compare it with.
    var outline: String {
        switch content {
        case .scalar(let scalar): scalar.isQuoted ? "'\(scalar.text)'" : scalar.text
        case .sequence(let items): "[" + items.map(\.outline).joined(separator: ", ") + "]"
        case .mapping(let members):
            "{" + members.map { "\($0.key): \($0.value.outline)" }.joined(separator: ", ") + "}"
        }
    }
}
