package io.sluice.node.ingest;

import io.sluice.api.node.ShipAnswer;
import io.sluice.api.node.SstFile;
import io.sluice.engine.store.StoreErrors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Room for an SST in transfer: a place in the node's load, and a name for its file. */
final class StagingRoom implements Admission.Room {
    private final NodeImport running;
    private final long attempt;
    private final SstFile announced;
    private final long epoch;
    private final Path file;
    /** The held place; null once it was passed on. */
    private Gate.@Nullable Place place;

    StagingRoom(NodeImport running, long attempt, SstFile announced, long epoch, Gate.Place place, Path file) {
        this.running = running;
        this.attempt = attempt;
        this.announced = announced;
        this.epoch = epoch;
        this.place = place;
        this.file = file;
    }

    @Override
    public Path file() {
        return file;
    }

    @Override
    public ShipAnswer ship() {
        Gate.Place held = place;
        if (held == null) {
            throw new IllegalStateException("SST " + announced.id() + " was handed over already");
        }
        place = null;
        return running.ship(attempt, announced.at(file), epoch, held);
    }

    @Override
    public void close() {
        Gate.Place held = place;
        place = null;
        if (held != null) {
            held.leave();
        }
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            throw StoreErrors.failed("remove " + file, e);
        }
    }
}
