package import XCallbackJSON

extension VarlinkInterface {
    /// The parameters of a method and those of its reply; nil if there is none of that name.
    func signature(of method: String) -> (input: [VarlinkField], output: [VarlinkField])? {
        for member in members where member.name.utf8.elementsEqual(method.utf8) {
            if case .method(let input, let output) = member.kind { return (input, output) }
        }
        return nil
    }

    /// The first value of a reply that is not what the interface says, as a path such as `items.name`.
    ///
    /// A server sends what it has declared and nothing else: its tests ask this.
    ///
    /// - Parameters:
    ///   - reply: The parameters of the reply.
    ///   - method: The name of the method, without the interface's.
    /// - Returns: The path, which is empty for the reply itself; nil if all is right.
    package func mismatch(of reply: JSONValue, to method: String) -> String? {
        guard let output = signature(of: method)?.output else { return "" }
        var types = TypeTable()
        types.begin(self)
        let type = types.add(.structure(output))
        var layout = JSONLayout()
        let text = reply.bytes
        guard (try? layout.read(text.span)) != nil, layout.tooDeepOffset == nil else { return "" }
        return types.mismatch(of: 0, with: type, in: layout, text.span)
    }
}
