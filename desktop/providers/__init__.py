"""Language models over the openai and anthropic SDKs, and the built-in Quotes that needs none.

- `registry`: the one door, `open_provider`; `presets`: known servers; `local_servers`: those running here
- `openai_chat`, `anthropic_messages`: one adapter per protocol; what they send is built in `…_request`,
  what comes back is read in `…_reader`
- `transport`: patience, proxies; `failures`: what servers and networks say, in the words of `errors`
- `quotes`: answers with sentences of the sources; scored in `extraction`

The SDKs are heavy: only the adapters import them, and only `open_provider` imports the adapters.
"""
