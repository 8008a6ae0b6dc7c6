"""Journal of changes: every change with the texts before and after, and the way back to the texts before."""
