/** The rules of the house, and the program as a whole: real processes, real files. */
@NullMarked
package io.sluice.it;

import org.jspecify.annotations.NullMarked;
