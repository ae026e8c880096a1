extension String {
    /// The text with every request ID, which is always unique, replaced by the one of the documents' examples.
    package var withExampleIDs: String {
        replacing(/"id":"[0-9a-z]{8}-[0-9]+"/, with: #""id":"7h3kq2vd-41""#)
    }
}
