"""Parts of the tool `bash`: the permission of a command line, the paths that it names, the program that runs it."""
