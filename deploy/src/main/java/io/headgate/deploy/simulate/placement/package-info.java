/// Placement policies that no cluster should run with: the measure for those of the scheduler.
@NullMarked
package io.headgate.deploy.simulate.placement;

import org.jspecify.annotations.NullMarked;
