/// The provisioned configuration of a tenant: pools, profiles, policies and queues, with their ids.
@NullMarked
package io.headgate.scheduler.core.catalog;

import org.jspecify.annotations.NullMarked;
