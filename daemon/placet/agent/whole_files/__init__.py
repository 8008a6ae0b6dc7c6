"""Profile `smallest`: Placet finds the files, and the model answers once with whole files."""
