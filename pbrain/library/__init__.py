"""From kernel to native library, and from there into the process. Only `native` and `digest` load at run time."""
