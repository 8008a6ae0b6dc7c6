"""Models that Placet itself can run on this machine: the catalog, the files and the engines."""
