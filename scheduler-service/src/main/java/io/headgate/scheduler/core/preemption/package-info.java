/// Chooses victims (DESIGN P1-P6).
@NullMarked
package io.headgate.scheduler.core.preemption;

import org.jspecify.annotations.NullMarked;
