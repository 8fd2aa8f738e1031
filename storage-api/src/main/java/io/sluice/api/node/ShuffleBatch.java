package io.sluice.api.node;

import io.sluice.model.kv.KvChecksum;
import java.util.UUID;

/**
 * A batch of unsorted KVs of one index and one key range, sent to the node that sorts them. The array is not copied;
 * the sender may reuse it after the node has responded.
 *
 * @param id idempotency key: a node takes a batch id once
 * @param part position of the key range in {@link RangeDirectory#ranges}, from 0
 * @param indexId the index the KVs belong to
 * @param kvs KVs in any order, each as a 32-bit big-endian key length, a 32-bit big-endian value length, the key, and
 *     the value
 * @param lengthBytes number of used bytes of the array
 * @param sum checksum of the KVs
 */
@SuppressWarnings("ArrayRecordComponent")
public record ShuffleBatch(UUID id, int part, int indexId, byte[] kvs, int lengthBytes, KvChecksum sum) {}
