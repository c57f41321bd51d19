"""Search the web and read its pages: engines, APIs, browser, reader, orchestration."""
