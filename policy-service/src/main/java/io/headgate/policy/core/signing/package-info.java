/// The rotation of signing keys.
@NullMarked
package io.headgate.policy.core.signing;

import org.jspecify.annotations.NullMarked;
