import XCallbackConfiguration
import XCallbackRouter
import XCallbackURL
import XCallbackWire

/// Answers with items from the configuration: fixed texts and templates.
///
/// An item that consists of a single placeholder is left out if the value is absent, and repeats for each value. For an
/// empty list, the item is a name alone, as for `[]`.
struct RespondHandler: Handler, ConfiguredStage {
    private struct Item {
        let name: [UInt8]
        /// Nil for an item that is a name alone.
        let value: Template?
        /// Whether every success has the item.
        let isCertain: Bool
    }

    private let items: [Item]
    /// The response, if the items have no placeholders.
    private let constantResponse: Response?

    init?(_ source: StageSource) {
        guard let node = source.node, !node.isNull else {
            items = []
            constantResponse = .success(QueryItems())
            return
        }
        guard let members = node.members(such: "{ text: Hello }", "the items of a response", source.faults) else {
            return nil
        }
        var items: [Item] = []
        for member in members {
            if member.key.isEmpty || member.key.lowercased().hasPrefix("x-") {
                source.faults.report("an item of a response cannot be called \(member.key.quoted)", at: member.place)
            }
            source.faults.reportHidden(in: member.key, "name", at: member.place)
            if case .sequence(let elements) = member.value.content, elements.isEmpty {
                items.append(Item(name: Array(member.key.utf8), value: nil, isCertain: true))
            }
            for value in member.value.elements {
                guard let template = Template(value, source) else { continue }
                items.append(
                    Item(
                        name: Array(member.key.utf8), value: template,
                        isCertain: template.onlyPlaceholder.map { !source.route.canBeAbsent($0, readsInput: true) }
                            ?? true))
            }
        }
        self.items = items
        var fixed = QueryItems()
        for item in items {
            guard let text = item.value.map(\.literal) ?? [] else { continue }
            fixed.append(name: item.name.span, value: text.span, hasValue: item.value != nil)
        }
        constantResponse = fixed.count == items.count ? .success(fixed) : nil
    }

    var facts: StageFacts {
        StageFacts {
            $0.acts = false
            $0.usesParameters = constantResponse == nil
            $0.constantResponse = constantResponse
            $0.returns = returnedItems
        }
    }

    func plan(for request: Request) -> StagePlan { StagePlan(response: response(to: request)) }

    func handle(_ request: Request, _ host: any StageHost) -> Response { response(to: request) }

    private func response(to request: Request) -> Response {
        if let constantResponse { return constantResponse }
        do throws(CallbackError) {
            return .success(try result(for: request))
        } catch {
            return .error(error)
        }
    }

    private func result(for request: Request) throws(CallbackError) -> QueryItems {
        var result = QueryItems()
        var text = ByteBuffer()
        for item in items {
            if let placeholder = item.value?.onlyPlaceholder {
                placeholder.forEachItem(request) { result.append(name: item.name.span, value: $0, hasValue: $1) }
            } else {
                text.truncate()
                try item.value?.append(request, to: &text)
                result.append(
                    name: item.name.span, value: text.bytes.span.extracting(0..<text.count),
                    hasValue: item.value != nil)
            }
        }
        return result
    }

    /// The names of the items; an item that consists of a single placeholder can be absent, and can repeat.
    private var returnedItems: [ReturnedItem] {
        var found: [ReturnedItem] = []
        for item in items {
            let name = String(decoding: item.name, as: UTF8.self)
            guard let index = found.firstIndex(where: { areEqual($0.name, name) }) else {
                found.append(ReturnedItem(name: name, isRequired: item.isCertain))
                continue
            }
            if item.isCertain { found[index].isRequired = true }
        }
        return found
    }
}
