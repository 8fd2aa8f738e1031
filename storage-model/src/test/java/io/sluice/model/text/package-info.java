/** Tests of the text forms: tables of edge cases, and seeded comparison with the JDK's parsers. */
@NullMarked
package io.sluice.model.text;

import org.jspecify.annotations.NullMarked;
