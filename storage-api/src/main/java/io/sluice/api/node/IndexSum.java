package io.sluice.api.node;

import io.sluice.api.kv.KvSum;

/**
 * What one index of a table adds up to.
 *
 * @param index the index's name
 * @param sum over all its KVs
 */
public record IndexSum(String index, KvSum sum) {}
