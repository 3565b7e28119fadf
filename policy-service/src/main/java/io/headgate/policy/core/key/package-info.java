/// Long-lived secrets: their form and validity.
@NullMarked
package io.headgate.policy.core.key;

import org.jspecify.annotations.NullMarked;
