package io.sluice.api.node;

/** A node's response to a shipped SST. */
public sealed interface ShipAnswer {
    /** The node stored the SST durably, and owns the file. */
    record Taken() implements ShipAnswer {}

    /**
     * The node cannot take the SST now. The sender still owns the file and ships it again.
     *
     * @param afterMillis delay before the next try, in milliseconds
     * @param limiter the resource that the node waits for: sublevels, files, compaction, staging, disk, stall
     */
    record Deferred(long afterMillis, String limiter) implements ShipAnswer {}

    /**
     * The node will never take the SST. The sender still owns the file.
     *
     * @param reason what failed: why; what to do
     * @param limiter as for {@link Deferred}
     */
    record Refused(String reason, String limiter) implements ShipAnswer {}

    /**
     * The node does not read the SST from its object store. The sender fetches it and ships its bytes.
     *
     * @param reason what failed, and why
     */
    record NotRead(String reason) implements ShipAnswer {}

    /**
     * The SST was cut for an outdated range directory. The sender still owns the file and cuts it again.
     *
     * @param directory the current directory
     */
    record Moved(RangeDirectory directory) implements ShipAnswer {}
}
