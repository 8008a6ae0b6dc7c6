"""Small faults in the daemon, one at a time, each judged by the tests: what no test notices is a fact without a test.

`PYTHONPATH=tests python -m mutant_support --count 120 --seed 33 --outcomes FILE` judges the faults that the seed picks.
"""
