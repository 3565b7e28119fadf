/// Placement policies for comparison only: baselines for the scheduler's own policies.
@NullMarked
package io.headgate.deploy.simulate.placement;

import org.jspecify.annotations.NullMarked;
