"""Direct way to a model: Placet builds the request of a common wire, sends the request and reads the stream itself.

Nothing here imports litellm. tests/model/test_direct_contract.py holds each request equal to litellm's request.
"""
