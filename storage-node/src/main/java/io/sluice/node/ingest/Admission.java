package io.sluice.node.ingest;

import io.sluice.api.node.ShipAnswer;
import java.nio.file.Path;

/** The node's reply to an announced SST: room for its file, or an answer that needs no file. */
public sealed interface Admission {
    /**
     * An answer without a file: taken before, deferred, refused, or cut for another range directory.
     *
     * @param answer the answer
     */
    record Answered(ShipAnswer answer) implements Admission {}

    /**
     * Room for the SST, held until it is closed: it counts as staged in the node's load. For one thread at a time; the
     * caller always closes it.
     */
    non-sealed interface Room extends Admission, AutoCloseable {
        /**
         * The path for the SST's file: a new name in the import's staging directory. Closing the room removes a file
         * left there.
         */
        Path file();

        /**
         * Hands over the SST, complete and synced in {@link #file}. May be called once.
         *
         * @throws io.sluice.model.error.OperationFailedException when the file differs from its announcement, or a
         *     later attempt has fenced the sender
         */
        ShipAnswer ship();

        @Override
        void close();
    }
}
