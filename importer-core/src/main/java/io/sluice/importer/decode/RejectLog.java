package io.sluice.importer.decode;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.sluice.api.error.OperationFailedException;
import io.sluice.importer.source.InputFile;
import io.sluice.importer.source.Split;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * All rejects of an import in the order of the input, whatever order its splits are decoded in, with the lines they
 * have in their files. A split's rejects wait in memory, {@value #MAX_WAITING} at most, until all splits before it are
 * done; then they are counted and written.
 */
public final class RejectLog implements AutoCloseable {
    private static final int MAX_WAITING = 10_000;
    private static final JsonMapper JSON = JsonMapper.builder()
            .disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET)
            .build();

    private final long limit;
    private final @Nullable OutputStream out;
    private Runnable onLimit = () -> {};

    private final Map<Long, Long> finishedLines = new HashMap<>();
    private final Map<Long, SplitRejects> finished = new HashMap<>();
    private long turn;
    private @Nullable InputFile turnFile;
    private long linesBefore;
    private long count;
    private @Nullable String first;
    private boolean abandoned;

    /**
     * An empty log.
     *
     * @param limit most rejects that are allowed
     * @param out where to write rejects as JSON lines, or null; closed by {@link #close}
     */
    public RejectLog(long limit, @Nullable OutputStream out) {
        this.limit = limit;
        this.out = out;
    }

    /** Names what is to be done, once, when there are more rejects than allowed. */
    public synchronized void onLimit(Runnable action) {
        onLimit = action;
    }

    /** Takes the rejects of one split; every split of the input must be {@link SplitRejects#finish finished}. */
    public SplitRejects split(Split split) {
        return new SplitRejects(split.ordinal(), split.file());
    }

    /** How many rejects there are so far, in the order of the input. */
    public synchronized long count() {
        return count;
    }

    /** Whether there are more rejects than allowed. */
    public synchronized boolean limitExceeded() {
        return count > limit;
    }

    /** The first reject of the input in words, or null. */
    public synchronized @Nullable String first() {
        return first;
    }

    /** Lets nobody wait any longer: a worker died, and its split will never be finished. */
    public synchronized void abandon() {
        abandoned = true;
        notifyAll();
    }

    @Override
    public synchronized void close() {
        if (out != null) {
            try {
                out.close();
            } catch (IOException e) {
                throw cannotWrite(e);
            }
        }
    }

    /** The rejects of one split, used by one worker. */
    public final class SplitRejects implements Consumer<Reject> {
        private final long ordinal;
        private final InputFile file;
        private final ArrayDeque<Reject> waiting = new ArrayDeque<>();

        private SplitRejects(long ordinal, InputFile file) {
            this.ordinal = ordinal;
            this.file = file;
        }

        @Override
        public void accept(Reject reject) {
            waiting.add(reject);
            if (waiting.size() >= MAX_WAITING) {
                awaitTurn(this);
            }
        }

        /** Says that the split is done. */
        public void finish(long lines) {
            finished(this, lines);
        }
    }

    private synchronized void awaitTurn(SplitRejects split) {
        boolean interrupted = false;
        while (turn != split.ordinal && !abandoned) {
            try {
                wait();
            } catch (InterruptedException e) {
                interrupted = true;
                abandoned = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        take(split);
    }

    private synchronized void finished(SplitRejects split, long lines) {
        finished.put(split.ordinal, split);
        finishedLines.put(split.ordinal, lines);
        SplitRejects next = finished.remove(turn);
        while (next != null) {
            take(next);
            linesBefore += Objects.requireNonNull(finishedLines.remove(turn));
            turn++;
            next = finished.remove(turn);
        }
        notifyAll();
    }

    /** Counts and writes what a split has; its turn has come. */
    private void take(SplitRejects split) {
        if (!split.file.equals(turnFile)) {
            turnFile = split.file;
            linesBefore = 0;
        }
        for (Reject reject = split.waiting.poll(); reject != null; reject = split.waiting.poll()) {
            long before = count;
            count += reject.records();
            long line = linesBefore + reject.line() + 1;
            if (first == null) {
                first = describe(split.file, line, reject);
            }
            if (before <= limit) {
                write(split.file, line, reject);
            }
            if (before <= limit && count > limit) {
                onLimit.run();
            }
        }
    }

    private static String describe(InputFile file, long line, Reject reject) {
        return file.name() + ", " + reject.unit().label() + " " + line + " (byte " + reject.byteOffset() + ")"
                + (reject.column() == null ? ": the record " : ", column " + reject.column() + ": ")
                + reject.message() + "\n    " + reject.excerpt();
    }

    private void write(InputFile file, long line, Reject reject) {
        if (out == null) {
            return;
        }
        try (JsonGenerator json = JSON.createGenerator(out)) {
            json.writeStartObject();
            json.writeStringField("file", file.name());
            json.writeNumberField(reject.unit().label(), line);
            if (reject.records() > 1) {
                json.writeNumberField("records", reject.records());
            }
            json.writeNumberField("byte", reject.byteOffset());
            json.writeStringField("column", reject.column());
            json.writeStringField("code", reject.code());
            json.writeStringField("message", reject.message());
            json.writeStringField("record", new String(reject.record(), StandardCharsets.UTF_8));
            json.writeEndObject();
            json.writeRaw('\n');
        } catch (IOException e) {
            throw cannotWrite(e);
        }
    }

    private static OperationFailedException cannotWrite(IOException e) {
        return new OperationFailedException("the rejects file cannot be written: " + e.getMessage(), e);
    }
}
