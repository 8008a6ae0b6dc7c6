"""`placet pending`, `placet approve`, `placet reject`: requests that wait, in any Placet of this user."""
