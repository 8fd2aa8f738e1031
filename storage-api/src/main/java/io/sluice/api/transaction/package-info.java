/**
 * Transactions on several nodes: what the coordinator asks of each node, and what nodes answer. Values here are bodies
 * of the HTTP API too; keys and values of KVs in them are base64.
 */
@NullMarked
package io.sluice.api.transaction;

import org.jspecify.annotations.NullMarked;
