package io.sluice.importer.job.staged;

import io.sluice.model.error.BadInputException;
import java.nio.file.Path;
import java.util.List;

/**
 * A staged set, whose manifest was read and checked.
 *
 * @param place where it is
 * @param manifest its manifest
 * @param compared whether its files were compared with the manifest, too
 */
public record StagedSet(SetPlace place, StagedManifest manifest, boolean compared) {
    /**
     * Opens a set; reads its manifest only.
     *
     * @throws BadInputException as {@link StagedManifest#read}
     */
    public static StagedSet open(SetPlace place) {
        return new StagedSet(place, ManifestFile.read(place), false);
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
        return place.problems(manifest, sst -> true, threads);
    }

    /**
     * Reads the files of the set that a checkpoint does not name, and adds them to it; compares the lengths of all.
     *
     * @param checkpoint file of the SSTs that were found whole; removed when all are
     * @return one line per file that is missing, shorter, longer or damaged
     * @throws BadInputException if the checkpoint is of another set, or cannot be written
     */
    public List<String> problems(int threads, Path checkpoint) {
        try (VerifiedSsts verified = VerifiedSsts.open(checkpoint, manifest)) {
            List<String> problems = place.problems(manifest, verified, threads);
            if (problems.isEmpty()) {
                verified.remove();
            }
            return problems;
        }
    }
}
