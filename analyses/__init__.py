"""The analyses: one module per question, each from a run's Parquet files and counters to tables, charts and sentences.

Every module has the same four functions: ``tables(run)`` asks the run and returns DataFrames with estimates, intervals
and n; ``figures(tables)``, ``findings(tables)`` and ``displays(tables)`` turn those into charts, sentences and sortable
tables; ``section(tables)`` puts them on a page. Nothing but ``tables`` looks at a run, so the rest can be tried on
tables kept from earlier. The notebooks call the same functions.

=====================  ==============================================================  =========================
module                 question                                                        standard experiment
=====================  ==============================================================  =========================
``win_rates``          Who wins, and by how much?                                      ``standard``
``first_player``       Does starting help?                                             ``standard`` and its rule changes
``game_shape``         How does a game unfold, and how does it end?                    ``standard_mirrors``
``agents_and_bluffs``  What is offered, hidden and taken, and what is a card worth?    ``standard_offers``
=====================  ==============================================================  =========================

``standard`` plays these experiments, ``report`` puts everything together. docs/analyses.md defines every number.
"""
