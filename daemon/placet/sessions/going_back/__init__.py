"""Going back: to an earlier prompt in talk and files with one act, and forward again."""
