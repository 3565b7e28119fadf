/// Rights and identity: tenants, principals, policies, queues, keys and tokens.
@NullMarked
package io.headgate.policy;

import org.jspecify.annotations.NullMarked;
