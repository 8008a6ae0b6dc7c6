"""`placet setup`: the lines for each editor, and the plugins that come with Placet."""
