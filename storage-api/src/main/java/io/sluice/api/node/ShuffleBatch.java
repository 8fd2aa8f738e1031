package io.sluice.api.node;

import io.sluice.api.kv.KvChecksum;
import java.util.UUID;

/**
 * KVs of one index and one part of the keys on their way to the node that will sort them. The array is not copied: the
 * batch is the sender's again when it was answered.
 *
 * @param id names this delivery; a node takes an id once
 * @param part which part of the keys, from 0 in key order; see {@link RangeDirectory#ranges}
 * @param indexId the index the KVs belong to
 * @param kvs the KVs one after the other in any order, each as two big-endian 32-bit lengths, of its key and its value,
 *     and then both
 * @param lengthBytes how much of the array is used
 * @param sum what they add up to
 */
@SuppressWarnings("ArrayRecordComponent")
public record ShuffleBatch(UUID id, int part, int indexId, byte[] kvs, int lengthBytes, KvChecksum sum) {}
