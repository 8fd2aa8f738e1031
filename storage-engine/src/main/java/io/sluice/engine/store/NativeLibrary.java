package io.sluice.engine.store;

import org.rocksdb.RocksDB;

/**
 * Loads the native library of RocksDB once per process. The loader searches {@code java.library.path} first. If the
 * library is not there, the loader unpacks it from the jar into {@code ROCKSDB_SHAREDLIB_DIR} (an environment
 * variable), or into the temporary directory, where a killed process leaves it.
 */
final class NativeLibrary {
    static {
        RocksDB.loadLibrary();
    }

    private NativeLibrary() {}

    /** Loads the library on the first call. */
    static void load() {
        // The class initializer loads the library: it runs once, and concurrent callers wait for it.
    }
}
