/// The node agent: runs and enforces on one machine what the scheduler assigned.
@NullMarked
package io.headgate.agent;

import org.jspecify.annotations.NullMarked;
