package io.sluice.node.store;

import org.rocksdb.RocksDB;

/**
 * The native half of RocksDB, loaded once per process. Its loader looks on {@code java.library.path} first; only when
 * it finds nothing there does it unpack the library from its jar, into the directory that the environment variable
 * {@code ROCKSDB_SHAREDLIB_DIR} names or else the temporary directory, where a killed process leaves it behind.
 */
final class NativeLibrary {
    static {
        RocksDB.loadLibrary();
    }

    private NativeLibrary() {}

    /** Loads the library on the first call. */
    static void load() {
        // Loading is the class initializer's: it runs once, and whoever comes meanwhile waits for it.
    }
}
