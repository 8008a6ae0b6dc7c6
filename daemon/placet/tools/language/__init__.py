"""Parts of the tool `lsp`: the servers asked, their answers in lines, and the changes proposed by servers."""
