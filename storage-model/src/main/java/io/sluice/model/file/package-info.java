/** File operations for users' data: permissions for the owner only, and writes that survive a power cut. */
@NullMarked
package io.sluice.model.file;

import org.jspecify.annotations.NullMarked;
