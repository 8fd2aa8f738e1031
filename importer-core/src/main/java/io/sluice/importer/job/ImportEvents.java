package io.sluice.importer.job;

/**
 * Listener to the durable steps of an import, and to messages for its users. Tests end an import at a step. Called on
 * the import's threads.
 */
public interface ImportEvents {
    /** Nodes know the import, but not its description. */
    String BEGUN = "import-begun";
    /** Nodes have the import's description; nothing was shipped. */
    String DESCRIBED = "import-described";
    /** A worker has emptied its buffers; their KVs are under way to the nodes. */
    String FLUSHED = "import-flushed";
    /** Nodes have all KVs of a checkpoint unit, without a checkpoint record. */
    String DELIVERED = "import-delivered";
    /** Nodes have the checkpoint record of a unit. */
    String NOTED = "import-noted";
    /** Nodes have all KVs and all checkpoint records; the ingest is not finalized. */
    String READ = "import-read";
    /** The import is finalized and verified, without a record of it. */
    String VERIFIED = "import-verified";
    /** Nodes have the record that the import is finished; it is not published. */
    String FINISHED = "import-finished";

    /** Ignores all events. */
    ImportEvents NONE = new ImportEvents() {};

    /** Called when the import reaches a point, one of the constants above. */
    default void reached(String point) {}

    /** Called when a phase begins. Phases repeat when an import starts over because rows lost conflicts. */
    default void entered(ImportProgress.Phase phase) {}

    /** Passes a sentence to the user. */
    default void tell(String sentence) {}
}
