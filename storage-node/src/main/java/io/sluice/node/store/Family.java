package io.sluice.node.store;

import io.sluice.api.error.OperationFailedException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.IngestExternalFileOptions;
import org.rocksdb.LiveFileMetaData;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

/**
 * One column family of an open store. Usable by several threads.
 *
 * <p>A view registers here, so that closing the store, or dropping the family, frees what its users forgot or are still
 * at: they then get an exception instead of a crash.
 */
public final class Family {
    private final String name;
    private final RocksDB db;
    private final ColumnFamilyHandle handle;
    private final UseCount uses = new UseCount();
    private final Set<FamilyView> views = ConcurrentHashMap.newKeySet();
    private volatile boolean dropped;

    Family(String name, RocksDB db, ColumnFamilyHandle handle) {
        this.name = name;
        this.db = db;
        this.handle = handle;
    }

    /** Its name in RocksDB. */
    public String name() {
        return name;
    }

    /** A view of what is in it now. Close it. */
    public FamilyView view() {
        enter();
        try {
            FamilyView view = new FamilyView(this, db, handle);
            views.add(view);
            return view;
        } finally {
            exit();
        }
    }

    /** The value that a key has now, or null. */
    public byte @Nullable [] get(byte[] key) {
        enter();
        try {
            return db.get(handle, key);
        } catch (RocksDBException e) {
            throw StoreErrors.failed("read from column family " + name, e);
        } finally {
            exit();
        }
    }

    /**
     * Moves finished SSTs into the LSM tree, all or none, atomically. They may overlap; later ones then win. The files
     * vanish from where they are; the call returns when that is durable.
     *
     * @param files on the store's own file system
     */
    public void ingest(List<Path> files) {
        enter();
        try (IngestExternalFileOptions options = new IngestExternalFileOptions().setMoveFiles(true)) {
            db.ingestExternalFile(handle, files.stream().map(Path::toString).toList(), options);
        } catch (RocksDBException e) {
            throw StoreErrors.failed("ingest " + files.size() + " SSTs into column family " + name, e);
        } finally {
            exit();
        }
    }

    /** The SSTs of the LSM tree, from metadata in memory. */
    public List<LiveSst> files() {
        enter();
        try {
            byte[] own = name.getBytes(StandardCharsets.UTF_8);
            List<LiveSst> files = new ArrayList<>();
            for (LiveFileMetaData file : db.getLiveFilesMetaData()) {
                if (Arrays.equals(file.columnFamilyName(), own)) {
                    files.add(live(file));
                }
            }
            return files;
        } finally {
            exit();
        }
    }

    /**
     * The SSTs of the LSM tree with the number of their KVs.
     *
     * <p>The count comes from each file's properties, because the one in the tree's metadata is not to be relied on:
     * unless the number of open files is unlimited, RocksDB reads it for 20 new files per change of the tree
     * (kMaxInitCount in its version_set.cc) and says 0 for the rest.
     */
    public List<CountedSst> countedFiles() {
        enter();
        try {
            Map<String, Long> entries = new HashMap<>();
            db.getPropertiesOfAllTables(handle)
                    .forEach((path, properties) -> entries.put(bareName(path), properties.getNumEntries()));
            List<CountedSst> counted = new ArrayList<>();
            for (LiveSst file : files()) {
                Long count = entries.get(file.name());
                if (count == null) {
                    throw new IllegalStateException("SST " + file.name() + " came while the others were counted");
                }
                counted.add(new CountedSst(file, count));
            }
            return counted;
        } catch (RocksDBException e) {
            throw StoreErrors.failed("count the KVs of column family " + name, e);
        } finally {
            exit();
        }
    }

    private static String bareName(String path) {
        return path.substring(path.lastIndexOf('/') + 1);
    }

    private static LiveSst live(LiveFileMetaData file) {
        return new LiveSst(bareName(file.fileName()), file.level(), file.smallestKey(), file.largestKey(), file.size());
    }

    private void enter() {
        if (!uses.enter()) {
            throw refusal("the column family is closed");
        }
    }

    private void exit() {
        uses.exit();
    }

    /** Why nobody is let in any more. */
    RuntimeException refusal(String otherwise) {
        if (dropped) {
            return new OperationFailedException("the table was dropped meanwhile");
        }
        return new IllegalStateException(uses.closed() ? "the store is closed" : otherwise);
    }

    void forget(FamilyView view) {
        views.remove(view);
    }

    ColumnFamilyHandle handle() {
        return handle;
    }

    /** Lets nobody in any more, waits for those inside, frees the views. The handle lives on. */
    void seal(boolean forDrop) {
        if (forDrop) {
            dropped = true;
        }
        boolean first = uses.closeAndAwait();
        if (first) {
            views.forEach(FamilyView::close);
        }
    }
}
