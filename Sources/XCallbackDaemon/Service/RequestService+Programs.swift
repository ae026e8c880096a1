import XCallbackPrograms

/// What runs programs asks it how it stops.
extension RequestService: ProgramService {}
