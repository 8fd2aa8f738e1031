/** Tests of the text forms: tables of edge cases, and seeded comparison with what the JDK makes of the same text. */
@NullMarked
package io.sluice.api.text;

import org.jspecify.annotations.NullMarked;
