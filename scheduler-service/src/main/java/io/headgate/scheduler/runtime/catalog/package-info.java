/// The watched catalogs of pool-service and policy-service, their merged view with which a leader
/// decides, and the rules of vaults.
@NullMarked
package io.headgate.scheduler.runtime.catalog;

import org.jspecify.annotations.NullMarked;
