/// Machines and what they report.
@NullMarked
package io.headgate.pool.core.node;

import org.jspecify.annotations.NullMarked;
