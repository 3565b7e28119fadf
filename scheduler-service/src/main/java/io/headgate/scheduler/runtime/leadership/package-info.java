/// Election, lease and fencing, and the threads of a leader, which commit each step before acting
/// on it. Endpoints reach the leader of their process through the replica.
@NullMarked
package io.headgate.scheduler.runtime.leadership;

import org.jspecify.annotations.NullMarked;
