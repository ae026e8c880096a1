import XCallbackBuiltIns
import XCallbackConfiguration
import XCallbackRouter
import XCallbackTesting
import XCallbackWire

/// Checks that a text gives a configuration that can be used, or faults with places in it.
///
/// The input is the text of a configuration and, behind a line `%%%`, that of a drop-in.
func checkConfiguration(_ input: FuzzInput) throws {
    var input = input
    let main = input.takeText(before: "%%%")
    let dropIn = input.takeRest()
    try checkDocument(main)

    let texts = [main, dropIn].map { String(decoding: $0, as: UTF8.self) }
    let names = ["main.yaml", "drop-in.yaml"]
    let files = zip(names, texts).map { ConfigurationFile(name: $0, text: $1) }
    do {
        let configuration = try RouterConfiguration(
            text: texts[0], name: names[0], dropIns: dropIn.isEmpty ? [] : [(names[1], texts[1])], logger: .silent)
        try check(configuration.warnings.warnings, in: files)
        try check(!configuration.summary.isEmpty && !configuration.warnings.description.isEmpty, "nothing is told")
        try checkAnswers(of: configuration.pipeline)
    } catch let error as ConfigurationError {
        try check(!error.faults.isEmpty && error.count >= error.faults.count, "no fault is told")
        try check(error.faults, in: files)
        try check(error.description.hasSuffix(error.summary), "the faults are not counted")
    }
}

/// Checks that bytes, which may not even be text, are a value or have faults with places in them; under low limits.
private func checkDocument(_ bytes: [UInt8]) throws {
    var limits = DocumentLimits()
    limits.depth = 5
    limits.nodeCount = 100
    let faults = FaultList()
    let node = DocumentReader(ownership: .any, limits: limits).parse(bytes, name: "document", faults: faults)
    try check(node != nil || !faults.isEmpty, "neither a value nor a fault")
    let text = String(decoding: bytes, as: UTF8.self)
    try check(faults.error?.faults ?? [], in: [ConfigurationFile(name: "document", text: text)])
}

/// A file as an editor shows it.
private struct ConfigurationFile {
    let name: String
    /// How many characters each line has.
    let lengths: [Int]

    init(name: String, text: String) {
        self.name = name
        lengths = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
            .map { Substring($0).count }
    }

    func contains(_ place: Place) -> Bool {
        if place.file != name { return false }
        if place.line == 0 { return place.column == 0 }
        return 1...lengths.count ~= place.line && 1...lengths[place.line - 1] + 1 ~= place.column
    }
}

/// Checks that all places are in the files, and that each fault can be shown.
private func check(_ faults: [Fault], in files: [ConfigurationFile]) throws(TestFailure) {
    for fault in faults {
        let places = [fault.place] + (fault.other.map { [$0.place] } ?? [])
        for place in places {
            try check(files.contains { $0.contains(place) }, "a place outside of the files: \(fault)")
        }
        let hasControl = fault.description.unicodeScalars.contains {
            $0 != "\n" && $0.properties.generalCategory == .control
        }
        try check(!fault.message.isEmpty && !hasControl, "what cannot be shown: \(fault)")
    }
}

/// Checks that every scheme answers.
private func checkAnswers(of pipeline: Pipeline) throws(TestFailure) {
    var execution = Execution(peer: Peer(userID: 1000, groupID: 100, processID: 42), origin: .socket)
    let host = TestHost()
    for scheme in pipeline.schemes {
        for action in ["", "a", "a/1", "notes/1?text=a"] {
            var output = ByteBuffer()
            let url = "\(scheme.name):/\(action)"
            let pending = execution.answer(
                url.utf8.span, from: execution.request.peer, origin: .socket, in: pipeline, host, into: &output)
            if let pending {
                pending.abandon()
                execution = Execution(peer: execution.request.peer, origin: .socket)
            } else {
                try check(
                    ClassifiedLine.isOneURL(output.contents[...]),
                    "the answer to \(url) is no URL: \(output.contents.shown)")
            }
        }
    }
}
