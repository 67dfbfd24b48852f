"""The public names, for type checkers and editors; `__init__.py` loads them lazily."""

from wmtlib.certainty import RankSets as RankSets
from wmtlib.certainty import rank_sets as rank_sets
from wmtlib.cluster_lines import clusters as clusters
from wmtlib.core.counts import Counts as Counts
from wmtlib.core.counts import comparisons as comparisons
from wmtlib.core.errors import DataError as DataError
from wmtlib.core.errors import JudgementWarning as JudgementWarning
from wmtlib.core.errors import Question as Question
from wmtlib.core.ranking import Ranking as Ranking
from wmtlib.cross_validation import compare as compare
from wmtlib.files.carried_counts import load_counts as load_counts
from wmtlib.files.forms import count as count
from wmtlib.files.read import read as read
from wmtlib.methods import rank as rank
from wmtlib.methods import ranking_methods as ranking_methods
from wmtlib.mfas import MFAS as MFAS
from wmtlib.mfas import check_certificate as check_certificate
from wmtlib.mfas import exact_order as exact_order
from wmtlib.mfas import violated as violated
from wmtlib.plots import heatmap as heatmap
from wmtlib.reliability import judges as judges
from wmtlib.removals import leave_one_out as leave_one_out
from wmtlib.report.answers import analyse as analyse
from wmtlib.resampling import bootstrap as bootstrap
from wmtlib.zscores import z_scores as z_scores

__version__: str
