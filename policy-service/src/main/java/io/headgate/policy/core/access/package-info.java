/// Groups, departments, policies, queues and vaults of a tenant: their checks, and edits of the
/// whole.
@NullMarked
package io.headgate.policy.core.access;

import org.jspecify.annotations.NullMarked;
