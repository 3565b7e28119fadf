/// Ids: one type for each kind of resource.
@NullMarked
package io.headgate.policy.core.name;

import org.jspecify.annotations.NullMarked;
