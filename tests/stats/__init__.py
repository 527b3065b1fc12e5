"""Tests of the statistics: known values, coverage on planted values, false alarms."""
