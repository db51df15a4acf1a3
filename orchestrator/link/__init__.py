"""The MCP link: the official SDK's client session over an emulated UART, in virtual time."""

from orchestrator.link.link import McpLink, SentCall
from orchestrator.link.virtual_time import VirtualTimeLoop

__all__ = ["McpLink", "SentCall", "VirtualTimeLoop"]
