import XCallbackConfiguration
import XCallbackURL

extension URLTemplate {
    /// Splits a template into the parts of a URL; reports faults.
    init?(_ template: Template, at place: Place, _ faults: FaultList) {
        var builder = URLTemplateBuilder()
        do {
            try builder.add(template)
            self = try builder.finished()
        } catch {
            faults.report(error.message, at: place)
            return nil
        }
    }
}

/// The reason why a template is not a valid URL template.
private struct URLTemplateFault: Error {
    let message: String

    init(_ message: String) {
        self.message = message
    }

    init(_ error: ActionURLError) {
        message = "expected a URL such as notes:/ping/{name}, found \(error)"
    }
}

private struct URLTemplateBuilder {
    private enum Location {
        case path, name, value, fragment
    }

    private var template: URLTemplate?
    private var location = Location.path
    private var name: [UInt8] = []
    /// The URL with a substitute for each placeholder, to check the literal text.
    private var sample: [UInt8] = []

    mutating func add(_ template: Template) throws(URLTemplateFault) {
        for (index, part) in template.parts.enumerated() {
            guard case .literal(let text) = part else {
                try add(part)
                continue
            }
            sample += text
            try add(literal: index == 0 ? try addOrigin(text, isAll: template.parts.count == 1) : text[...])
        }
    }

    func finished() throws(URLTemplateFault) -> URLTemplate {
        guard var template else { throw URLTemplateFault("expected a URL whose scheme is literal") }
        do {
            _ = try URLLayout(checking: sample.span)
        } catch {
            throw URLTemplateFault(error)
        }
        if location == .name, !name.isEmpty { template.items.append(URLTemplate.Item(name: name, value: nil)) }
        return template
    }

    /// Removes the scheme and the host from the start.
    private mutating func addOrigin(_ text: [UInt8], isAll: Bool) throws(URLTemplateFault) -> ArraySlice<UInt8> {
        do throws(ActionURLError) {
            let layout = try URLLayout(checking: text.span)
            let end = layout.authority?.upperBound ?? layout.scheme.upperBound + 1
            guard isAll || layout.authority == nil || end < text.count else {
                throw ActionURLError(.notAHostName, at: end)
            }
            var template = URLTemplate(origin: try Callback(bytes: Array(text[..<end])))
            template.startsWithSlash = end < text.count && text[end] == UInt8(ascii: "/")
            self.template = template
            return text[(template.startsWithSlash ? end + 1 : end)...]
        } catch {
            throw error.reason == .notAHostName
                ? URLTemplateFault("expected a URL whose host is literal: end the host with a slash")
                : URLTemplateFault(error)
        }
    }

    private mutating func add(literal text: ArraySlice<UInt8>) throws(URLTemplateFault) {
        var start = text.startIndex
        for index in text.indices where isBoundary(text[index]) {
            add(run: text[start..<index])
            cross(text[index])
            start = index + 1
        }
        add(run: text[start...])
    }

    private func isBoundary(_ byte: UInt8) -> Bool {
        switch (location, byte) {
        case (.path, UInt8(ascii: "/")), (.path, UInt8(ascii: "?")): true
        case (.name, UInt8(ascii: "=")), (.name, UInt8(ascii: "&")), (.value, UInt8(ascii: "&")): true
        case (.path, UInt8(ascii: "#")), (.name, UInt8(ascii: "#")), (.value, UInt8(ascii: "#")): true
        default: false
        }
    }

    private mutating func cross(_ boundary: UInt8) {
        if location == .name, !name.isEmpty || boundary == UInt8(ascii: "=") {
            let value: URLTemplate.Parts? = boundary == UInt8(ascii: "=") ? [] : nil
            template?.items.append(URLTemplate.Item(name: name, value: value))
        }
        switch boundary {
        case UInt8(ascii: "/"): template?.segments.append([])
        case UInt8(ascii: "="): location = .value
        case UInt8(ascii: "#"):
            location = .fragment
            template?.fragment = []
        default: location = .name
        }
        name = []
    }

    private mutating func add(run: ArraySlice<UInt8>) {
        if run.isEmpty { return }
        if location == .name { name += run } else { append(.literal(Array(run))) }
    }

    private mutating func add(_ placeholder: Template.Part) throws(URLTemplateFault) {
        guard template != nil else { throw URLTemplateFault("expected a URL whose scheme is literal") }
        guard location != .name else {
            throw URLTemplateFault("a placeholder cannot be the name of an item: it fills a segment or a value")
        }
        sample.append(UInt8(ascii: "x"))
        append(placeholder)
    }

    private mutating func append(_ part: Template.Part) {
        guard var template else { return }
        switch location {
        case .path: template.segments[template.segments.count - 1].append(part)
        case .value: template.items[template.items.count - 1].value?.append(part)
        case .fragment: template.fragment?.append(part)
        case .name: break
        }
        self.template = template
    }
}
