/// Identities, and the rights to create keys.
@NullMarked
package io.headgate.policy.core.identity;

import org.jspecify.annotations.NullMarked;
