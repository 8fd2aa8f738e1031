package io.sluice.api.wire;

/** Names of Sluice's own HTTP headers, in lower case as HTTP/2 sends them. */
public final class ApiHeaders {
    /** Id of the import that an SST or a batch belongs to. */
    public static final String IMPORT = "sluice-import";
    /** Fencing token: number of the sender's attempt at the import, from {@link ImportState#attempt}. */
    public static final String ATTEMPT = "sluice-attempt";
    /** Epoch of the range directory that an SST or a batch was cut for. */
    public static final String EPOCH = "sluice-epoch";
    /** Id of the index that the KVs belong to. */
    public static final String INDEX = "sluice-index";
    /** First key of an SST, in hexadecimal. */
    public static final String SMALLEST_KEY = "sluice-smallest-key";
    /** Last key of an SST, in hexadecimal. */
    public static final String LARGEST_KEY = "sluice-largest-key";
    /** Sampled keys of an SST, whose blocks the node reads back: in hexadecimal, joined by commas; optional. */
    public static final String SAMPLED_KEYS = "sluice-sampled-keys";
    /** CRC-32C of the body, eight hexadecimal digits. */
    public static final String CRC32C = "sluice-crc32c";
    /** Address from which the node reads an SST itself; then the body is empty. It may hold a signature: a secret. */
    public static final String SOURCE = "sluice-source";
    /** Length of the SST at {@link #SOURCE}. */
    public static final String SOURCE_BYTES = "sluice-source-bytes";
    /** Number of KVs in the body. */
    public static final String KV_COUNT = "sluice-kv-count";
    /** Total length of the keys and values. */
    public static final String KV_BYTES = "sluice-kv-bytes";
    /** Checksum of the KVs ({@link io.sluice.model.kv.KvChecksum}), sixteen hexadecimal digits. */
    public static final String KV_SUM = "sluice-kv-sum";
    /** Id of a batch of KVs that the node is to sort. */
    public static final String BATCH = "sluice-batch";
    /** Id of a long-running operation, chosen by the client: a repeated request with the same id starts nothing new. */
    public static final String OPERATION = "sluice-operation";
    /** Id of the node that a request about a transaction is for; any other node refuses it. */
    public static final String NODE = "sluice-node";
    /** Owner of a copy of a table's ranges. */
    public static final String COPY = "sluice-copy";
    /** Number of a request within its copy: a node refuses one with a lower number than the last. */
    public static final String NUMBER = "sluice-number";
    /** Number of a list that comes in several requests, from 1 in each attempt: a later list has a greater one. */
    public static final String LIST = "sluice-list";
    /** Id of a request in the node's log; the node adopts the id that a client sends. */
    public static final String REQUEST_ID = "x-request-id";

    private ApiHeaders() {}
}
