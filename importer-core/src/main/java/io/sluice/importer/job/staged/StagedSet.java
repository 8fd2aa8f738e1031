package io.sluice.importer.job.staged;

import io.sluice.model.error.BadInputException;
import java.util.List;

/**
 * A staged set, whose manifest was read and checked.
 *
 * @param place where it is
 * @param manifest its manifest
 */
public record StagedSet(SetPlace place, StagedManifest manifest) {
    /**
     * Opens a set; reads its manifest only.
     *
     * @throws BadInputException as {@link StagedManifest#read}
     */
    public static StagedSet open(SetPlace place) {
        return new StagedSet(place, StagedManifest.read(place));
    }

    /**
     * Checks that the set is of a table that Sluice can store.
     *
     * @throws BadInputException if its KVs are plain, for RocksDB itself
     */
    public StagedSet forIngest() {
        if (!manifest.target().form().isTable()) {
            throw new BadInputException(place + ": holds plain SSTs for RocksDB itself, which have no table; give"
                    + " its .sst files to RocksDB's IngestExternalFile, or build the set without --target rocksdb");
        }
        return this;
    }

    /**
     * Reads all files of the set, in parallel, and compares them with the manifest.
     *
     * @return one line per file that is missing, shorter, longer or damaged; empty if the set is whole
     */
    public List<String> problems(int threads) {
        return place.problems(manifest, true, threads, bytes -> {});
    }
}
