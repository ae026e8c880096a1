import XCallbackClient
import XCallbackWire

/// A value that reads the members of a reply when they are requested, so that it accepts those of other versions.
protocol ReplyObject: ReplyValue {
    init(json: JSONValue)
}

extension ReplyObject {
    package init(reading value: JSONValue) { self.init(json: value) }
}
