package io.sluice.engine.admit;

/** A signal that can keep an SST from entering. */
public enum Limiter {
    /** SSTs above each other over this SST's own keys. */
    HEIGHT("sublevels over its keys"),
    /** SSTs on the node. */
    FILES("files"),
    /** Bytes that compactions still have to rewrite. */
    COMPACTION("bytes awaiting compaction"),
    /** Bytes received and not ingested yet. */
    STAGING("staged bytes"),
    /** Free space. */
    DISK("disk space"),
    /** RocksDB slows down or stops writes. */
    STALL("write stall"),
    /** Size of the SST, above the largest that the node accepts. */
    SST_SIZE("size of the SST");

    private final String words;

    Limiter(String words) {
        this.words = words;
    }

    /** A description for people. */
    public String words() {
        return words;
    }
}
