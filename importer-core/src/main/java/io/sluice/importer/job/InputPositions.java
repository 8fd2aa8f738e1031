package io.sluice.importer.job;

import io.sluice.importer.source.InputFile;
import io.sluice.importer.source.ReadSpans;
import java.util.List;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts the stored bytes of each input that are done; 8 bytes of memory each. Of more inputs than
 * {@value #MOST_INPUTS} it keeps only the total. Usable by several threads.
 */
public final class InputPositions {
    /** Most inputs that are counted one by one; also the most inputs of a resumable import. */
    public static final int MOST_INPUTS = 100_000;

    private final AtomicLongArray done;
    private final LongAdder all = new LongAdder();
    private final LongAdder before = new LongAdder();

    /** Creates the counters, all 0. */
    InputPositions(int inputs) {
        done = new AtomicLongArray(inputs > MOST_INPUTS ? 0 : inputs);
    }

    /** Number of inputs that are counted one by one. */
    int count() {
        return done.length();
    }

    /** Bytes of an input that are done, or -1 if inputs are not counted one by one. */
    long of(int ordinal) {
        return ordinal < done.length() ? done.get(ordinal) : -1;
    }

    /** Bytes of all inputs. */
    long sum() {
        return all.sum();
    }

    /** Bytes of all inputs that earlier runs did. */
    long sumBefore() {
        return before.sum();
    }

    /**
     * Adds bytes of an input that are done.
     *
     * @param bytes number of bytes
     * @param ofThemBefore number of those bytes that earlier runs did
     */
    void add(int ordinal, long bytes, long ofThemBefore) {
        if (ordinal < done.length()) {
            done.addAndGet(ordinal, bytes);
        }
        all.add(bytes);
        before.add(ofThemBefore);
    }

    /** Counts the inputs that earlier runs have read to their ends; they are not opened again. */
    void skip(List<InputFile> inputs, ReadSpans past) {
        for (InputFile input : inputs) {
            if (past.whole(input.ordinal())) {
                long bytes = Math.max(0, input.sizeBytes());
                add(input.ordinal(), bytes, bytes);
            }
        }
    }
}
