/// Replays of recorded clusters by time: jobs come and go as they did, on the real core and the
/// simulation's virtual time, and independent books check what was decided.
@NullMarked
package io.headgate.deploy.simulate.replay;

import org.jspecify.annotations.NullMarked;
