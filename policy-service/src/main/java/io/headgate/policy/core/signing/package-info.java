/// When signing keys begin, succeed one another and end.
@NullMarked
package io.headgate.policy.core.signing;

import org.jspecify.annotations.NullMarked;
