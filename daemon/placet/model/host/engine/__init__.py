"""Engine of the local models: a process below the model host, which answers the host alone."""
