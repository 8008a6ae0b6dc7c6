"""Interactive session in a terminal: `placet` alone, or `placet chat`. The only room that loads prompt_toolkit."""
