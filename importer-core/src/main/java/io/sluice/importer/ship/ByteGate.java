package io.sluice.importer.ship;

/**
 * Bounds the bytes under way. A request above the bound enters when nothing else is under way. Usable by several
 * threads; not fair, which does not matter among workers of one import.
 */
final class ByteGate {
    private final long mostBytes;
    private long usedBytes;

    ByteGate(long mostBytes) {
        this.mostBytes = mostBytes;
    }

    /** Waits until {@code bytes} fit the bound. */
    synchronized void enter(long bytes) throws InterruptedException {
        while (usedBytes > 0 && usedBytes + bytes > mostBytes) {
            wait();
        }
        usedBytes += bytes;
    }

    synchronized void leave(long bytes) {
        usedBytes -= bytes;
        notifyAll();
    }
}
