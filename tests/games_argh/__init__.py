"""Tests of ARGH."""
