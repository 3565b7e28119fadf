/// Long-lived secrets: their form, and whether one is still good.
@NullMarked
package io.headgate.policy.core.key;

import org.jspecify.annotations.NullMarked;
