/** The service on the network: its REST API as openapi.yaml describes it, events as they happen, and the console. */
@NullMarked
package io.sluice.service.http;

import org.jspecify.annotations.NullMarked;
