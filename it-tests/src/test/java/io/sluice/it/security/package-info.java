/** TLS and tokens, hostile requests and texts, floods of connections, and permissions of files. */
@NullMarked
package io.sluice.it.security;

import org.jspecify.annotations.NullMarked;
