/// Decides where a worker fits and which place is best.
///
/// Nodes are grouped by their free capacity, so a search costs in distinct states, not in nodes.
/// Per pool and shape the states stay ranked, so the usual search costs nothing. This package
/// belongs to the engine: the shell uses the records of the packages `catalog`, `node`, `job`,
/// `explain` and `usage` only.
@NullMarked
package io.headgate.scheduler.core.placement;

import org.jspecify.annotations.NullMarked;
