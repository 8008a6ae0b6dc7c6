"""Commands that list the choices of a user: `placet agents`, `placet models` and `placet tools`."""
