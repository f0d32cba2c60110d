"""Tests of archives, over real HTTP."""
