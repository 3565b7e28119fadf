/// Election, lease and fencing; the threads of a leader, which commit each step before they act on
/// it; and the replica, through which endpoints reach the leader of this process.
@NullMarked
package io.headgate.scheduler.runtime.leadership;

import org.jspecify.annotations.NullMarked;
