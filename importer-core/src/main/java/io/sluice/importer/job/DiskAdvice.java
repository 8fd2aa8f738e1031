package io.sluice.importer.job;

/** What to do about a failed write or read. */
final class DiskAdvice {
    private DiskAdvice() {}

    static String of(Throwable failure) {
        return "\nThe import was undone. If the disk is full, make room or name another directory with --tmp"
                + (failure.getMessage() == null ? " (" + failure.getClass().getSimpleName() + ")" : "");
    }
}
