/// The packing benchmark of "Beware of Fragmentation" (Weng et al., USENIX ATC'23) on the openb
/// traces, run on the real core. Tasks arrive in random order and never end; the result is the
/// allocated share of the cluster.
@NullMarked
package io.headgate.deploy.simulate.openb;

import org.jspecify.annotations.NullMarked;
