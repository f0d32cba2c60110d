"""Tests in a real browser: JupyterLab and the service's pages in headless Chromium."""
