"""An event as one HTML page: written when it ends, or served while it runs."""
