package io.sluice.node.admit;

/** What can hold an SST back. */
public enum Limiter {
    /** SSTs above each other over this SST's own keys. */
    HEIGHT("sublevels over its keys"),
    /** SSTs on the node. */
    FILES("files"),
    /** Bytes that merges still have to rewrite. */
    COMPACTION("bytes awaiting compaction"),
    /** Bytes received and not ingested yet. */
    STAGING("staged bytes"),
    /** Free space. */
    DISK("disk space"),
    /** RocksDB slows down or stops writes. */
    STALL("write stall"),
    /** The SST by itself is larger than the node ever takes. */
    SST_SIZE("size of the SST");

    private final String words;

    Limiter(String words) {
        this.words = words;
    }

    /** In words, for people. */
    public String words() {
        return words;
    }
}
