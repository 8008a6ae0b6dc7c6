"""Network of contained commands: a namespace for each session, with Placet's proxy at the edge."""
