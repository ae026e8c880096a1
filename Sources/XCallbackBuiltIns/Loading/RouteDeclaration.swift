import XCallbackConfiguration
import XCallbackPrograms
import XCallbackRouter
import XCallbackURL
import XCallbackWire

/// A route as a configuration declares it: everything but its stages is decoded.
struct RouteDeclaration {
    /// The address.
    let address: RouteAddress
    /// The place of the address.
    let place: Place
    /// The start of the route.
    let start: Place
    /// Whether it is served, if it has no fault.
    let isEnabled: Bool
    /// Whether it has a place in the table, despite any other fault.
    let isRoutable: Bool
    let input: Input
    let description: RouteDescription
    /// The runner of its programs.
    let runner: RunnerName?
    let isPublic: Bool
    /// The handlers; exactly one, except after a fault.
    let handlers: [StageDeclaration]
    let middleware: [StageDeclaration]
    let policies: [StageDeclaration]
    /// The policies for the clients that receive its requests.
    let receivers: [StageDeclaration]
    /// The keys of the route, of which the handler and the settings read their own.
    let keys: MappingReader
    /// The text of what stages can depend on: the declaration without its address and its description.
    let content: [UInt8]
    /// The text of the description.
    let describingContent: [UInt8]

    /// A hash that is equal for equal declarations at any place and in any process, apart from their addresses.
    var fingerprint: UInt64 { stableHash((content + describingContent).span) }

    /// The place of the handler.
    var handlerPlace: Place? { handlers.first?.node?.place }

    /// The origins that reach the route.
    var reach: OriginSet {
        var reach = isPublic ? OriginSet.open : .trusted
        if description.agent != nil { reach.insert(Origin.agent.bit) }
        return reach
    }

    /// What its stages know of it.
    var stageRoute: StageRoute {
        StageRoute(
            captures: address.pattern.captures, syntax: address.pattern.syntax, input: input, title: description.title,
            runner: runner, isPublic: isPublic)
    }

    /// A text that is equal for routes whose stages are equal: the declaration, the captures, and the files, to which paths
    /// are relative.
    var stageContent: [UInt8] {
        var text = content
        text.append(content: address.pattern.syntax.rawValue)
        for item in description.returns ?? [] where item.isSecret { text.append(content: item.name) }
        for capture in address.pattern.captures {
            text.append(content: capture.name)
            text.append(capture.isWildcard ? 1 : 0)
            text.append(capture.isOptional ? 1 : 0)
        }
        text.append(content: start.file)
        for stages in [middleware, policies, receivers] {
            for stage in stages { text.append(content: stage.place.file == start.file ? "" : stage.place.file) }
        }
        return text
    }
}
