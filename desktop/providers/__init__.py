"""Language models over the openai and anthropic SDKs, and the built-in Quotes that needs none.

- `registry`: the one door, `open_provider`; `presets`: known servers; `local_servers`: those running here
- `openai_server` with `openai_chat` or `openai_responses`, and `anthropic_messages`: the protocols. What they send is built in `…_request`, what
  comes back is read in `…_reader` and `model_list`; `options` are what a model may refuse to take
- `transport`: patience and proxies; `failures`: what servers and networks say, in the words of `errors`
- `quotes`: the built-in model. `question_cues` reads the question, `candidates` holds the sentences,
  `extraction` scores them as answers, `gist` as a summary

The SDKs are heavy: only the adapters import them, and only `open_provider` imports the adapters.
"""
