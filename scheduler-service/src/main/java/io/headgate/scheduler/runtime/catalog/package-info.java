/// The watched catalogs of pool-service and policy-service: what they supply, the merged view that
/// a leader decides with, and the rules of vaults.
@NullMarked
package io.headgate.scheduler.runtime.catalog;

import org.jspecify.annotations.NullMarked;
