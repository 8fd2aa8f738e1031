/** A small server in a few lines, and what it lets in. */
@NullMarked
package io.sluice.http;

import org.jspecify.annotations.NullMarked;
