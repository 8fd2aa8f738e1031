package io.sluice.node.ingest;

import io.sluice.api.node.ShipAnswer;
import java.nio.file.Path;

/** What a node says to an SST that is announced and not there yet: come, or an answer that needs no file. */
public sealed interface Admission {
    /**
     * The answer is known already: taken before, not now, not at all, or cut for another directory.
     *
     * @param answer what it is
     */
    record Answered(ShipAnswer answer) implements Admission {}

    /**
     * Room for the SST, held until it is closed: it counts as staged in the node's load. For one thread at a time;
     * close it whatever happens.
     */
    non-sealed interface Room extends Admission, AutoCloseable {
        /**
         * Where to write it: a new name in the import's staging directory. Closing the room removes what is left there.
         */
        Path file();

        /**
         * Hands it over once it lies complete and synced in {@link #file}. Ask once.
         *
         * @throws io.sluice.api.error.OperationFailedException when the file is not what was announced, or the import
         *     went on without the sender
         */
        ShipAnswer ship();

        @Override
        void close();
    }
}
