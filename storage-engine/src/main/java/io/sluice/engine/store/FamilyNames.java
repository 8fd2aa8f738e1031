package io.sluice.engine.store;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

/**
 * The names of a store's column families:
 *
 * <pre>
 *   default               nothing; every database has it
 *   meta                  the catalog
 *   t&lt;id&gt;                 the rows of a table, and of those that are interleaved in it
 *   small-ssts-&lt;id&gt;-&lt;n&gt;   a small-SST buffer of an import
 * </pre>
 */
public final class FamilyNames {
    static final String META = "meta";
    private static final String DEFAULT = "default";
    private static final String TABLE_PREFIX = "t";
    private static final String SMALL_SSTS_PREFIX = "small-ssts-";

    private FamilyNames() {}

    /** The name of a table's own column family. */
    public static String ofTable(int tableId) {
        return TABLE_PREFIX + tableId;
    }

    static boolean isTable(String name) {
        return name.startsWith(TABLE_PREFIX);
    }

    /**
     * The name of a column family that buffers small SSTs of an import.
     *
     * @param generation distinguishes the buffers of one import
     */
    public static String ofSmallSsts(int importId, int generation) {
        return SMALL_SSTS_PREFIX + importId + "-" + generation;
    }

    /** The generation in the name of a small-SST buffer. */
    public static int generation(String name) {
        return Integer.parseInt(name.substring(name.lastIndexOf('-') + 1));
    }

    static boolean isSmallSsts(String name) {
        return name.startsWith(SMALL_SSTS_PREFIX);
    }

    static boolean isSmallSsts(String name, int importId) {
        return name.startsWith(SMALL_SSTS_PREFIX + importId + "-");
    }

    /** Names of all column families of a database; of a new one, the two that every store has. */
    static List<String> stored(Path directory) throws RocksDBException {
        List<String> names = new ArrayList<>(List.of(DEFAULT, META));
        if (Files.exists(directory.resolve("CURRENT"))) {
            try (Options listing = new Options()) {
                for (byte[] name : RocksDB.listColumnFamilies(listing, directory.toString())) {
                    String text = new String(name, StandardCharsets.UTF_8);
                    if (!names.contains(text)) {
                        names.add(text);
                    }
                }
            }
        }
        return names;
    }
}
