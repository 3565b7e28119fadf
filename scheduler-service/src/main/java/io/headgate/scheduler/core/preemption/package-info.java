/// Chooses victims (P1-P9) and places for holds (O7).
@NullMarked
package io.headgate.scheduler.core.preemption;

import org.jspecify.annotations.NullMarked;
