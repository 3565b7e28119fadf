/// The rights and the usage of policies and tenants (A2-A5, A8).
@NullMarked
package io.headgate.scheduler.core.rights;

import org.jspecify.annotations.NullMarked;
