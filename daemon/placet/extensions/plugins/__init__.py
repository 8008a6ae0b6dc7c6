"""Tools and plugins of the user and of trusted projects: loaded in a process of their own, called, reloaded."""
