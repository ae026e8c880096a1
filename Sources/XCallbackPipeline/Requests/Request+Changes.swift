import XCallbackBytes
import XCallbackURL

extension Request {
    /// The differences between the request and another state of it, each in a few words.
    func changes(to other: Request) -> [String] {
        var names: [String] = []
        for item in Array(parameters) + Array(other.parameters)
        where !names.contains(where: { areEqual($0, item.name) }) {
            names.append(item.name)
        }
        let changed = names.compactMap { name -> String? in
            let (before, after) = (parameters.texts(of: name), other.parameters.texts(of: name))
            if before == after { return nil }
            if after.isEmpty { return "removes the parameter '\(name)'" }
            return "sets the parameter '\(name)' to \(after.joined(separator: ", "))"
        }
        let keys = Set(data.keys).union(other.data.keys).sorted()
        return changed
            + keys.compactMap { key in
                let (before, after) = (data[key].map { "\($0)" }, other.data[key].map { "\($0)" })
                if before == after { return nil }
                return after.map { "sets the data '\(key)' to \($0)" } ?? "removes the data '\(key)'"
            }
    }
}

extension QueryItems {
    fileprivate func texts(of name: String) -> [String] {
        filter { areEqual($0.name, name) }.map { $0.value.map { "'\($0)'" } ?? "no value" }
    }
}
