"""Language models over the openai and anthropic SDKs, and the built-in model Quotes, which needs neither.

- `registry`: `open_provider`, the only entry point
- `presets`, `model_listing`, `local_servers`: known servers, their lists of models, servers on this machine
- `openai_server`, `openai_chat`, `openai_responses` and `anthropic`: the protocols, with their requests and stream readers
- `sdk_client`: what both SDK adapters share, including options that a model may refuse
- `transport`: HTTP client, timeouts, limits and proxies; `errors`: maps failures to `desktop.errors`
- `quotes`: the built-in model. `answer_type` classifies the question, `candidates` holds the sentences,
  `relevance` measures how they fit, `ranking` predicts which answers, `extraction` picks answers and summaries

The SDKs are slow to import: only the adapters import them, and only `open_provider` imports the adapters.
"""
