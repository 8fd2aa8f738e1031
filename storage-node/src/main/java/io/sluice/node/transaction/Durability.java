package io.sluice.node.transaction;

/**
 * Of something that was committed and can be read. What was committed in a store before it is as durable as it is, so
 * whoever commits often need not wait for each.
 */
public interface Durability {
    /** Of what is on disk already. */
    Durability DONE = () -> {};

    /**
     * Waits until it is on disk: it stays whatever happens to process or machine.
     *
     * @throws io.sluice.api.error.AmbiguousCommitException when it is not known to be
     */
    void await();
}
