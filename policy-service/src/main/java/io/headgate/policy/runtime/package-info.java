/// Carries out the core's decisions in transactions, and owns the ports to the outside.
@NullMarked
package io.headgate.policy.runtime;

import org.jspecify.annotations.NullMarked;
