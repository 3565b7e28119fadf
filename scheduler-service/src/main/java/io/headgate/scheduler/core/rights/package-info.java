/// The rights and the usage of policies and tenants (DESIGN A2, A4, A5, A8, O1, O4, P2).
@NullMarked
package io.headgate.scheduler.core.rights;

import org.jspecify.annotations.NullMarked;
