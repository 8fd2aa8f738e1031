/** File operations for users' data: permissions for the owner only, writes that survive a power cut, and locks. */
@NullMarked
package io.sluice.model.file;

import org.jspecify.annotations.NullMarked;
