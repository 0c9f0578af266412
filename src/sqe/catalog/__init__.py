"""What tables there are: the mounted catalogs, their names and their tables' metadata.

Imports `config`, `tree`, `types` and what is below them. Each backend is one lazily imported file under
`backends`, each file system one under `io`.
"""
