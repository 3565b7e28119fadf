/// What is provisioned: pools, profiles, policies and queues of a tenant, with their ids.
@NullMarked
package io.headgate.scheduler.core.catalog;

import org.jspecify.annotations.NullMarked;
