"""Tests of Shady Agents."""
