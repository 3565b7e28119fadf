/// Pools, profiles and links, and what a configuration must satisfy.
@NullMarked
package io.headgate.pool.core.configuration;

import org.jspecify.annotations.NullMarked;
