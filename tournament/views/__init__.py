"""What users see: plain lines, JSON, the live screen and exported files. Nothing else prints."""
