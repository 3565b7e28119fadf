/// Jobs, their attempts, and where an attempt runs.
@NullMarked
package io.headgate.scheduler.core.job;

import org.jspecify.annotations.NullMarked;
