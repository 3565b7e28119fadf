/// Runs attempts as processes of this machine: walls, cgroups, container images.
@NullMarked
package io.headgate.agent.runtime.host;

import org.jspecify.annotations.NullMarked;
