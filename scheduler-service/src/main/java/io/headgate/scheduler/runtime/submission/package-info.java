/// Preparation of a submission before the loop takes it: it allocates free names and recognizes
/// repeated requests.
@NullMarked
package io.headgate.scheduler.runtime.submission;

import org.jspecify.annotations.NullMarked;
