/**
 * Distributed transactions: the coordinator's requests to each node and the nodes' responses. The records are also
 * bodies of the HTTP API; keys and values of KVs in them are base64.
 */
@NullMarked
package io.sluice.api.transaction;

import org.jspecify.annotations.NullMarked;
