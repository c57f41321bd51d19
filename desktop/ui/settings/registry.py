"""The settings pages, in the order of the list. A new page is a module and a line here."""

from desktop.ui.settings import (
    about_page,
    appearance_page,
    assistants_page,
    help_page,
    knowledge_page,
    mcp_page,
    memory_page,
    models_page,
    network_page,
    program_page,
    prompts_page,
    reading_page,
    research_page,
    search_page,
    shortcuts_page,
)

PAGES = (
    models_page.PAGE,
    assistants_page.PAGE,
    prompts_page.PAGE,
    search_page.PAGE,
    reading_page.PAGE,
    knowledge_page.PAGE,
    research_page.PAGE,
    memory_page.PAGE,
    mcp_page.PAGE,
    network_page.PAGE,
    appearance_page.PAGE,
    program_page.PAGE,
    shortcuts_page.PAGE,
    help_page.PAGE,
    about_page.PAGE,
)
