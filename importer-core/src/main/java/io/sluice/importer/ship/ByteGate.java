package io.sluice.importer.ship;

/**
 * Bounds the bytes of what is under way. What is larger than the bound passes when nothing else is under way. Usable by
 * several threads; whoever waits longest is not served first, which does not matter among workers of one import.
 */
final class ByteGate {
    private final long mostBytes;
    private long usedBytes;

    ByteGate(long mostBytes) {
        this.mostBytes = mostBytes;
    }

    /** Waits until there is room. */
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
