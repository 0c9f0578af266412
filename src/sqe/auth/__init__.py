"""Who asks: credentials become an identity here, by the first provider of a chain that knows them.

Doors and the server use it; it imports the configuration, errors and the identity, and no protocol.
"""
