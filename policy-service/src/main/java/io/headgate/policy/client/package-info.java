/// Clients of other services, behind the ports.
@NullMarked
package io.headgate.policy.client;

import org.jspecify.annotations.NullMarked;
