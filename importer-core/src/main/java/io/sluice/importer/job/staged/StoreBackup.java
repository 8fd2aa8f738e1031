package io.sluice.importer.job.staged;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.sluice.api.node.IndexChecksum;
import io.sluice.api.node.TableSource;
import io.sluice.api.node.TableStatus;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.error.Reasons;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A backup of all tables of a store or cluster: a staged set of each, below one place, and the list of them, which is
 * written last:
 *
 * <pre>
 *   PLACE/1-orders/manifest.json, *.sst
 *   PLACE/2-items/manifest.json, *.sst
 *   PLACE/backup.json
 *     {"version": 1, "oneMoment": true, "sets": [{"directory": "1-orders", "id": "...", "table": "orders"}, ...]}
 * </pre>
 *
 * <p>The sets are in the order of the tables' ids, so that a table comes after those that it is interleaved in.
 *
 * @param version version of this format, {@value #VERSION}; others are refused
 * @param oneMoment whether no table has changed, come or gone while the tables were read one after the other
 * @param sets the staged sets
 */
public record StoreBackup(int version, boolean oneMoment, List<Entry> sets) {
    private static final int VERSION = 1;
    private static final String FILE = "backup.json";
    /** Enough for 100,000 tables. */
    private static final long MOST_BYTES = 32L << 20;

    private static final int MOST_NAME_CHARS = 80;
    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
            .enable(SerializationFeature.INDENT_OUTPUT)
            .build();

    public StoreBackup {
        sets = List.copyOf(sets);
    }

    /**
     * One set of a backup.
     *
     * @param directory name of its place within that of the backup
     * @param id id of the set
     * @param table name of its table
     */
    public record Entry(String directory, String id, String table) {}

    /**
     * Reads the list of a backup.
     *
     * @return null if the place has none
     * @throws BadInputException if it is cut or of another version
     */
    public static @Nullable StoreBackup read(SetPlace place) {
        byte[] text = place.read(FILE, MOST_BYTES);
        if (text == null) {
            return null;
        }
        String file = place + "/" + FILE;
        try {
            JsonNode json = JSON.readTree(text);
            int version = json.path("version").asInt();
            if (version != VERSION) {
                throw new BadInputException(file + ": is of format version " + version + ", and this Sluice reads "
                        + VERSION + "; use the Sluice that wrote it");
            }
            StoreBackup backup = JSON.treeToValue(json, StoreBackup.class);
            for (Entry entry : backup.sets) {
                if (!entry.directory().matches("[0-9]+-[A-Za-z0-9_-]*")) {
                    throw new BadInputException(file + ": the directory " + entry.directory() + " is of no backup");
                }
            }
            return backup;
        } catch (JacksonException e) {
            throw new BadInputException(
                    file + ": is not the list of a backup, or was cut: " + e.getOriginalMessage(), e);
        } catch (IOException e) {
            throw new BadInputException(file + ": cannot be read: " + Reasons.plain(e), e);
        }
    }

    /**
     * The sets at a place: those of a backup, or the one that is there itself.
     *
     * @throws BadInputException if there is none, or one of them is not the one of the list
     */
    public static List<StagedSet> setsAt(SetPlace place) {
        StoreBackup backup = read(place);
        if (backup == null) {
            return List.of(StagedSet.open(place));
        }
        List<StagedSet> found = new ArrayList<>();
        for (Entry entry : backup.sets) {
            StagedSet set = StagedSet.open(place.within(entry.directory()));
            if (!set.manifest().id().equals(entry.id())) {
                throw new BadInputException(set.place() + ": holds another set than the one that " + FILE
                        + " names; restore the sets one by one, or back up again");
            }
            found.add(set);
        }
        return found;
    }

    /** The tables to back up, one after the other. Used by one thread. */
    public static final class Run {
        private final TableSource source;
        private final SetPlace place;
        private final List<TableStatus> tables;
        private final @Nullable StoreBackup earlier;
        private final List<Entry> sets = new ArrayList<>();

        /**
         * Notes the tables and their checksums.
         *
         * @param source has the tables; the caller closes it
         * @param place of the backup
         * @throws BadInputException if there are no tables, or the place holds a staged set itself
         */
        public Run(TableSource source, SetPlace place) {
            this.source = source;
            this.place = place;
            tables = source.tables().stream()
                    .sorted(Comparator.comparingInt(status -> status.table().id()))
                    .toList();
            if (tables.isEmpty()) {
                throw new BadInputException("there are no tables to back up");
            }
            if (ManifestFile.exists(place)) {
                throw new BadInputException(place + ": holds a staged set; name another place");
            }
            earlier = read(place);
        }

        /** The tables, in the order of their ids. */
        public List<TableStatus> tables() {
            return tables;
        }

        /** The place of a table's set. */
        public SetPlace place(TableStatus table) {
            return place.within(directory(table));
        }

        private static String directory(TableStatus status) {
            String name = status.table().name().replaceAll("[^A-Za-z0-9_-]", "_");
            return status.table().id() + "-" + name.substring(0, Math.min(name.length(), MOST_NAME_CHARS));
        }

        /** Adds the finished set of a table. */
        public void add(TableStatus table, StagedSet set) {
            sets.add(new Entry(
                    directory(table), set.manifest().id(), table.table().name()));
        }

        /**
         * Writes the list when all sets are there.
         *
         * @throws BadInputException if the place has the list of other sets
         * @throws OperationFailedException if it cannot be written
         */
        public StoreBackup finish() {
            StoreBackup backup = new StoreBackup(VERSION, unchanged(), sets);
            if (earlier != null) {
                if (!earlier.sets.equals(sets)) {
                    throw new BadInputException(place + ": holds a backup of other tables; name another place");
                }
                return earlier;
            }
            try {
                place.write(FILE, JSON.writeValueAsBytes(backup));
                return backup;
            } catch (IOException e) {
                throw new OperationFailedException(
                        place + ": the list of its sets cannot be written: " + Reasons.plain(e)
                                + "; run the command again, which keeps the sets",
                        e);
            }
        }

        private boolean unchanged() {
            List<TableStatus> now = source.tables();
            return tables.stream().allMatch(TableStatus::counted)
                    && now.stream().allMatch(TableStatus::counted)
                    && sums(now).equals(sums(tables));
        }

        private static Map<Integer, List<IndexChecksum>> sums(List<TableStatus> tables) {
            Map<Integer, List<IndexChecksum>> sums = new LinkedHashMap<>();
            tables.forEach(status -> sums.put(status.table().id(), status.imported()));
            return sums;
        }
    }
}
