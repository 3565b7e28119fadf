/// Groups, policies and queues of a tenant: their rules, and edits of the whole.
@NullMarked
package io.headgate.policy.core.access;

import org.jspecify.annotations.NullMarked;
