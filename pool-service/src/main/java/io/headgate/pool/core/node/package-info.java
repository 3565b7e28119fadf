/// Nodes and their reports.
@NullMarked
package io.headgate.pool.core.node;

import org.jspecify.annotations.NullMarked;
