/** The HTTP side of the service: the REST API of openapi.yaml, event streams, and the console. */
@NullMarked
package io.sluice.service.http;

import org.jspecify.annotations.NullMarked;
