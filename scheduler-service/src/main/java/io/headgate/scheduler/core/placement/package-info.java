/// Where a worker fits and which of the places is best.
///
/// Nodes are grouped by what is free on them, so that a search costs in distinct states, not in
/// nodes; and per pool and shape the states stay ranked, so that the usual search costs nothing.
/// This is the engine's: the shell uses the records of the packages `catalog`, `node`, `job`,
/// `explain` and `usage` only.
@NullMarked
package io.headgate.scheduler.core.placement;

import org.jspecify.annotations.NullMarked;
