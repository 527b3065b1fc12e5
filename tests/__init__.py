"""Tests; a package, so that ``tests.oracle`` can be imported by name."""
