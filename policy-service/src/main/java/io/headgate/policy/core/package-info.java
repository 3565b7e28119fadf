/// Decisions about rights and identity: values in, values out. No clock, no randomness, no I/O.
@NullMarked
package io.headgate.policy.core;

import org.jspecify.annotations.NullMarked;
