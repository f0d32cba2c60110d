"""The XML that services of this kind send: dialects, record shapes, writer."""
