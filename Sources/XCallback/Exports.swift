// What an author of applications writes against comes with one import.
@_exported public import XCallbackClient
@_exported public import XCallbackPipeline
@_exported public import XCallbackURL
