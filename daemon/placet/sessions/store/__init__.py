"""Sessions in the store: written as they happen, read whole, searched, archived, and followed across processes."""
