"""Footnote as an MCP server for other programs (`footnote mcp`).

- `schemas`: the arguments and results of the tools
- `calls`: carries out one call, within what the user has opened
- `server`: the MCP server around it: queue, progress, log, resources; on stdio, or over HTTP on loopback with a token
- `service`: for the window: the log, the token, configurations for other programs

`server` imports the SDK, which is slow: only `footnote mcp` does so.
"""
