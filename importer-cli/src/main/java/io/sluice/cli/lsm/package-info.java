/** The command {@code lsm}: how LSM trees look and came to look, as text, as JSON, and as a page with a timeline. */
@NullMarked
package io.sluice.cli.lsm;

import org.jspecify.annotations.NullMarked;
