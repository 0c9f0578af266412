"""Log-ins of people at a terminal: a code to type elsewhere, or a browser. They ask an identity provider for
tokens, keep them for the next command, and have no part in a server."""
