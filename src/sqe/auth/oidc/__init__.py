"""What providers and log-ins of OpenID Connect share: an identity provider's endpoints and keys, the grants
of its token endpoint, and what the claims of a verified token say. It imports nothing of the providers."""
