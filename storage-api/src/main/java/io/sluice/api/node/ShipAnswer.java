package io.sluice.api.node;

/** What a node says to an SST. */
public sealed interface ShipAnswer {
    /** The node has it, durably; the file is the node's. */
    record Taken() implements ShipAnswer {}

    /**
     * Not now; the file is still the sender's, to be shipped again.
     *
     * @param afterMillis when to try again
     * @param limiter what the node waits for, in one word: sublevels, files, compaction, staging, disk, stall
     */
    record Deferred(long afterMillis, String limiter) implements ShipAnswer {}

    /**
     * Not at all; the file is still the sender's.
     *
     * @param reason what is wrong and what to do
     * @param limiter as for {@link Deferred}
     */
    record Refused(String reason, String limiter) implements ShipAnswer {}

    /**
     * The keys are divided in another way than the sender believed; the file is still the sender's, to be cut again.
     *
     * @param directory how they are divided now
     */
    record Moved(RangeDirectory directory) implements ShipAnswer {}
}
