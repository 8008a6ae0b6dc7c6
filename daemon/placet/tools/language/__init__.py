"""Parts of the tool `lsp`: the servers asked, their answers in lines, and the changes that they propose."""
