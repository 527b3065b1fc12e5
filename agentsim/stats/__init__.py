"""Statistics whose unit is the deal: intervals, comparisons, tests. ``docs/statistics.md`` says which is used where."""
