package io.sluice.sql.transaction;

/**
 * Handle to await the durability of a commit, which is visible already. It covers all earlier commits of the store too,
 * so a caller that commits often need not await each.
 */
public interface Durability {
    /** Handle of a commit that is durable already. */
    Durability DONE = () -> {};

    /**
     * Waits until the commit is on disk and survives a crash of the process or the machine.
     *
     * @throws io.sluice.model.error.AmbiguousCommitException if the sync failed, so the commit may be lost in a crash
     */
    void await();
}
