import XCallbackBytes
import XCallbackConfiguration
import XCallbackPipeline
import XCallbackURL

/// Answers with items of the configuration: fixed texts and templates.
///
/// An item that is only a placeholder is left out when that is absent, and repeats for each value of a list.
struct RespondHandler: Handler, ConfiguredStage {
    private struct Item {
        let name: [UInt8]
        let value: Template
    }

    private let items: [Item]
    /// The response, if there are no placeholders in the items.
    let constantResponse: Response?

    var usesParameters: Bool { constantResponse == nil }

    init?(_ source: StageSource) {
        guard let node = source.node, !node.isNull else {
            items = []
            constantResponse = .success(QueryItems())
            return
        }
        guard let members = node.members(of: "the items of a response", source.faults) else { return nil }
        var items: [Item] = []
        for member in members {
            if member.key.isEmpty || member.key.lowercased().hasPrefix("x-") {
                source.faults.report("an item of a response cannot be called \(member.key.quoted)", at: member.place)
            }
            for value in member.value.elements {
                guard let template = Template(value, source) else { continue }
                items.append(Item(name: Array(member.key.utf8), value: template))
            }
        }
        self.items = items
        let literals = items.compactMap(\.value.literal)
        var fixed = QueryItems()
        for (item, value) in zip(items, literals) { fixed.append(name: item.name.span, value: value.span) }
        constantResponse = literals.count == items.count ? .success(fixed) : nil
    }

    func handle(_ request: Request, _ state: inout PipelineState) -> Response {
        if let constantResponse { return constantResponse }
        var result = QueryItems()
        var text = ByteBuffer()
        for item in items {
            if let placeholder = item.value.onlyPlaceholder {
                placeholder.forEachValue(request) { result.append(name: item.name.span, value: $0) }
            } else {
                text.truncate()
                item.value.append(request, to: &text)
                result.append(name: item.name.span, value: text.bytes.span.extracting(0..<text.count))
            }
        }
        return .success(result)
    }
}
