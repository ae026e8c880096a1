// The types in the interface are exported with it.
@_exported public import XCallbackClient
