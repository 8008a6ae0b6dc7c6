"""Property tests are judged by what they find, not by how fast a shared machine happened to be."""

from hypothesis import settings

settings.register_profile("no deadline", deadline=None)
settings.load_profile("no deadline")
