/// Carries out what the core decides, in transactions, and owns the ports to what is outside.
@NullMarked
package io.headgate.policy.runtime;

import org.jspecify.annotations.NullMarked;
