"""The game and the thinking: what the kernel's library becomes in Python."""
