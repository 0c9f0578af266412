"""The bound tree as SQL text: what both engines share. Each lane completes it in a room of its own."""
