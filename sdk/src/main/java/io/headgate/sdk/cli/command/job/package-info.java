/// Commands on submitted jobs: list, explain, watch, wait, cancel and requeue.
@NullMarked
package io.headgate.sdk.cli.command.job;

import org.jspecify.annotations.NullMarked;
