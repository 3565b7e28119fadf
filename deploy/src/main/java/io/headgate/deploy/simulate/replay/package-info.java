/// Replays of recorded clusters over time. Jobs arrive and run as recorded, on the real core and
/// the simulation's virtual time. Independent books check every decision.
@NullMarked
package io.headgate.deploy.simulate.replay;

import org.jspecify.annotations.NullMarked;
