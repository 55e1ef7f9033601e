"""The kernel functions behind the library's entry points of `layout.ENTRIES`."""

from pbrain.kernel.board import clear, make, undo
from pbrain.kernel.exercise import exercise, scatter
from pbrain.kernel.limits import clock
from pbrain.kernel.patterns import prepare
from pbrain.kernel.renju import is_forbidden
from pbrain.kernel.root import begin_search, guard_root, iterate, root_vcf
from pbrain.kernel.table import touch
from pbrain.kernel.threats import evaluate, threat_index
from pbrain.kernel.tuning import is_tunable

FUNCTIONS = {
    "kaname_is_tunable": is_tunable,
    "kaname_prepare": prepare,
    "kaname_clear": clear,
    "kaname_make": make,
    "kaname_undo": undo,
    "kaname_is_forbidden": is_forbidden,
    "kaname_evaluate": evaluate,
    "kaname_threat_index": threat_index,
    "kaname_now_ns": clock,
    "kaname_touch": touch,
    "kaname_begin_search": begin_search,
    "kaname_root_vcf": root_vcf,
    "kaname_guard_root": guard_root,
    "kaname_iterate": iterate,
    "kaname_scatter": scatter,
    "kaname_exercise": exercise,
}
