/** Rules for the project's code and language, its launcher, and the commands of its docs. */
@NullMarked
package io.sluice.it.project;

import org.jspecify.annotations.NullMarked;
