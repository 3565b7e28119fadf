/// Decisions about rights and identity as functions of values, without clock, randomness and I/O.
@NullMarked
package io.headgate.policy.core;

import org.jspecify.annotations.NullMarked;
