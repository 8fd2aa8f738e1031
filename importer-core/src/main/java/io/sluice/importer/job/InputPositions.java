package io.sluice.importer.job;

import io.sluice.importer.source.InputFile;
import java.util.List;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;

/**
 * How many bytes of each input are done, as they are stored; 8 bytes of memory each. Of more inputs than
 * {@value #MOST_INPUTS} only the sum is known. Usable by several threads.
 */
final class InputPositions {
    /** What is worth showing one by one, and most that an import which can be resumed may have. */
    static final int MOST_INPUTS = 100_000;

    private final AtomicLongArray done;
    private final LongAdder all = new LongAdder();
    private final LongAdder before = new LongAdder();

    /** Of so many inputs, all at their beginning. */
    InputPositions(int inputs) {
        done = new AtomicLongArray(inputs > MOST_INPUTS ? 0 : inputs);
    }

    /** How many are known one by one. */
    int count() {
        return done.length();
    }

    /** Bytes of an input that are done, or -1 when they are not known one by one. */
    long of(int ordinal) {
        return ordinal < done.length() ? done.get(ordinal) : -1;
    }

    /** Bytes of all inputs. */
    long sum() {
        return all.sum();
    }

    /** Bytes of those that were done before this run. */
    long sumBefore() {
        return before.sum();
    }

    /**
     * Bytes of an input are done.
     *
     * @param bytes how many
     * @param ofThemBefore how many of them an earlier run has done
     */
    void add(int ordinal, long bytes, long ofThemBefore) {
        if (ordinal < done.length()) {
            done.addAndGet(ordinal, bytes);
        }
        all.add(bytes);
        before.add(ofThemBefore);
    }

    /** Counts inputs that earlier runs have read to their ends, which will not be opened any more. */
    void passOver(List<InputFile> inputs, PastWork past) {
        for (InputFile input : inputs) {
            if (past.spans().whole(input.ordinal())) {
                long bytes = Math.max(0, input.sizeBytes());
                add(input.ordinal(), bytes, bytes);
            }
        }
    }
}
