/// What a submission needs before the loop takes it: free names, and answers to repeated requests.
@NullMarked
package io.headgate.scheduler.runtime.submission;

import org.jspecify.annotations.NullMarked;
