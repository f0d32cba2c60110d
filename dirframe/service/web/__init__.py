"""The directory over HTTP: WSGI application, XML and HTML views."""
