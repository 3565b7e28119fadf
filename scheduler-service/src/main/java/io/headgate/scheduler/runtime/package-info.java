/// The shell around the core. One thread owns the core, takes a batch of commands, decides, commits
/// inputs and effects in one transaction, and only then acts. Arrows between the packages, each of
/// which may use those after it: `leadership`, `loop`, `desk`, then `submission`, `agent` and
/// `text`, then `catalog`, then `record`.
@NullMarked
package io.headgate.scheduler.runtime;

import org.jspecify.annotations.NullMarked;
