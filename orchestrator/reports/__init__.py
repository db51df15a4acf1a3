"""Reports: pure functions from scenarios' records to a table, JUnit XML and readable lines."""

from orchestrator.reports.directory import report_directory
from orchestrator.reports.junit import junit_xml
from orchestrator.reports.narrative import narrate
from orchestrator.reports.records import Evidence, Outcome, Scenario
from orchestrator.reports.table import failures, scenario_table, summary_line

__all__ = [
    "Evidence",
    "Outcome",
    "Scenario",
    "failures",
    "junit_xml",
    "narrate",
    "report_directory",
    "scenario_table",
    "summary_line",
]
