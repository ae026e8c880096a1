/// One step of a YAML document.
struct YAMLEvent {
    /// What begins, ends or stands there.
    enum Kind: Equatable {
        case documentStart
        case documentEnd
        case streamEnd
        case alias(String)
        case scalar(Node.Scalar)
        case sequenceStart
        case sequenceEnd
        case mappingStart
        case mappingEnd
        /// Something without a meaning for the reader.
        case other
    }

    /// A place as libyaml counts: both from 0, columns in Unicode scalars.
    struct Mark {
        var line: Int
        var column: Int
    }

    let kind: Kind
    /// The name that an alias can use for the value.
    var anchor: String?
    /// The full name of the value's tag.
    var tag: String?
    let start: Mark
    let end: Mark
}
