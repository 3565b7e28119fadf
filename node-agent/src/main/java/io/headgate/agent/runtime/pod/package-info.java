/// Runs attempts as pods of this machine's Kubernetes node.
@NullMarked
package io.headgate.agent.runtime.pod;

import org.jspecify.annotations.NullMarked;
