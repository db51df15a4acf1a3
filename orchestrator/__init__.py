"""Truestage's orchestration: engines, the device and its MCP link, faults, truth, reports."""
