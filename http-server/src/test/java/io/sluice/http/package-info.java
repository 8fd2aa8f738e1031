/** Tests of the HTTP server base, on a minimal server. */
@NullMarked
package io.sluice.http;

import org.jspecify.annotations.NullMarked;
