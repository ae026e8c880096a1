extension VarlinkInterface {
    /// Returns the parameters of a method and of its reply; nil if there is no such method.
    func signature(of method: String) -> (input: [VarlinkField], output: [VarlinkField])? {
        for member in members where member.name.utf8.elementsEqual(method.utf8) {
            if case .method(let input, let output) = member.kind { return (input, output) }
        }
        return nil
    }

    /// Returns the path of the first value of a reply that does not match the interface, such as `items.name`.
    ///
    /// A server must send only what it has declared; tests check this.
    ///
    /// - Parameters:
    ///   - reply: The parameters of the reply.
    ///   - method: The name of the method, without the interface.
    /// - Returns: The path, which is empty for the reply itself; nil if the reply matches.
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
