extension Request: CustomStringConvertible, CustomReflectable {
    /// The URL, the route and the sender.
    ///
    /// For example `notes:/note/7, for notes:/note/:id, by the desktop (user 1000, process 42)`.
    public var description: String {
        let target = route.isEmpty ? "" : ", for \(route)"
        return "\(url)\(target), by the \(origin.rawValue) (\(peer))"
    }

    /// The contents of the request for its handler.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "url": url, "route": route, "parameters": parameters, "source": source as Any, "origin": origin,
                "peer": peer, "data": data,
            ],
            displayStyle: .struct)
    }
}

extension Response: CustomStringConvertible {
    /// The outcome and its contents.
    ///
    /// For example `success ["id": "7"]` or `error 404 No route answers this action.`
    public var description: String {
        switch self {
        case .success(let items): "success \(items)"
        case .error(let error): "error \(error)"
        case .cancel: "cancel"
        case .redirect(let target): "redirect \(target)"
        }
    }
}

extension Peer: CustomStringConvertible {
    /// The user and the process.
    public var description: String { "user \(userID), process \(processID)" }
}
