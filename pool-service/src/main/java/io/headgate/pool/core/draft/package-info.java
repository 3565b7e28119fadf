/// Editing and provisioning of drafts.
@NullMarked
package io.headgate.pool.core.draft;

import org.jspecify.annotations.NullMarked;
