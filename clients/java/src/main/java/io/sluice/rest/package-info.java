/** A client of the import service for programs in Java, on the JDK's HTTP client; it depends on no other module. */
@NullMarked
package io.sluice.rest;

import org.jspecify.annotations.NullMarked;
