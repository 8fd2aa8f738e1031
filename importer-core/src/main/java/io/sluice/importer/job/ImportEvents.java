package io.sluice.importer.job;

/**
 * Told when an import passes from one durable step to the next, so that tests can end it there, and what people who
 * watch should know. Called on the import's threads.
 */
public interface ImportEvents {
    /** Nodes know the import, and nothing of what it is made from. */
    String BEGUN = "import-begun";
    /** What the import is made from is noted; nothing was shipped. */
    String DESCRIBED = "import-described";
    /** A worker has emptied its buffers; what was in them is under way. */
    String FLUSHED = "import-flushed";
    /** Nodes have all of a flush group, and no note says so. */
    String DELIVERED = "import-delivered";
    /** A flush group is noted as done. */
    String NOTED = "import-noted";
    /** Nodes have everything, and notes say so; it is not settled. */
    String READ = "import-read";
    /** Everything is settled and verified; nothing says so. */
    String VERIFIED = "import-verified";
    /** The import is noted as finished, and not published. */
    String FINISHED = "import-finished";

    /** Nobody is told. */
    ImportEvents NONE = new ImportEvents() {};

    /** A point is reached. */
    default void reached(String point) {}

    /** A phase begins; some come again when an import begins anew because rows give way to others. */
    default void entered(ImportProgress.Phase phase) {}

    /** A sentence for people. */
    default void tell(String sentence) {}
}
