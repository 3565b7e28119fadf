/// Sends the output of jobs to a receiver of logs, line by line, where the operator wants that.
@NullMarked
package io.headgate.agent.runtime.output;

import org.jspecify.annotations.NullMarked;
