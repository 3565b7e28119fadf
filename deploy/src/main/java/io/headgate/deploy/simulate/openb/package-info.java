/// The packing benchmark of "Beware of Fragmentation" (Weng et al., USENIX ATC'23) on the openb
/// traces: tasks arrive in random order, none leaves, and what counts is how much of the cluster is
/// allocated. Played on the real core.
@NullMarked
package io.headgate.deploy.simulate.openb;

import org.jspecify.annotations.NullMarked;
