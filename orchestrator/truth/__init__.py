"""Truth: what the hardware is, compared with what a reply claims; gives the verdict."""

from orchestrator.probes import Probe, TruthLog
from orchestrator.truth.call import Call, Stage
from orchestrator.truth.judge import Judgement, Verdict, judge

__all__ = ["Call", "Judgement", "Probe", "Stage", "TruthLog", "Verdict", "judge"]
