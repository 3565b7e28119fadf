/// Who somebody is, and who may make keys for whom.
@NullMarked
package io.headgate.policy.core.identity;

import org.jspecify.annotations.NullMarked;
