/// Decisions about supply, as functions of values.
@NullMarked
package io.headgate.pool.core;

import org.jspecify.annotations.NullMarked;
