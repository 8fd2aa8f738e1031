package io.sluice.engine.admit;

import io.sluice.engine.admit.AdmissionDecision.Admit;
import io.sluice.engine.admit.AdmissionDecision.Defer;
import io.sluice.engine.admit.AdmissionDecision.Refuse;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether an SST may enter the node's tree now. A pure function.
 *
 * <p>The score is the highest of several signals. Some are <i>exact</i>: the height over the SST's own keys, staged
 * bytes, disk space. They are counted, include all admitted SSTs and the SST itself, and are used without smoothing.
 * Since the height is that over the SST's own keys, a span of keys with few files stays open while another is crowded.
 * The others, files, bytes awaiting compaction and stalls, are <i>measured</i>: they rise and fall with every
 * compaction, so they are smoothed and have hysteresis. A rise counts at once, a fall only as the memory of the rise
 * decays. A gate that has closed stays closed until the score is well below the limit. So a dip between two compactions
 * admits no SST (CockroachDB once admitted gigabytes on one, its issue 109361). Gating on all of them matters: with
 * sublevels alone, narrow files pile up by the ten thousand (its issue 79083).
 */
public final class AdmissionPolicy {
    /** Scores of a write stall: RocksDB has exceeded one of its own limits. */
    private static final double DELAYED_SCORE = 1.25;

    private static final double STOPPED_SCORE = 2.0;

    /**
     * A decision, with the state for the next one.
     *
     * @param decision the answer
     * @param state the state to pass to the next decision
     */
    public record Outcome(AdmissionDecision decision, AdmissionState state) {}

    /** The ratio of one figure to its limit: 1.0 is at the limit. */
    private record Signal(Limiter limiter, double score) {
        static Signal higher(Signal a, Signal b) {
            return b.score > a.score ? b : a;
        }
    }

    private final AdmissionSettings settings;

    public AdmissionPolicy(AdmissionSettings settings) {
        this.settings = settings;
    }

    /**
     * Decides about one SST. The caller serializes the calls for a node, passes the state of the previous outcome, and
     * includes admitted SSTs in the next load.
     *
     * @param fileBytes length of the SST
     */
    public Outcome decide(long fileBytes, NodeLoad load, AdmissionState last) {
        Signal measured = measured(load);
        AdmissionState state = remember(measured, load.nowMillis(), last);
        return new Outcome(decide(fileBytes, load, measured, state), state);
    }

    private AdmissionDecision decide(long fileBytes, NodeLoad load, Signal measured, AdmissionState state) {
        Refuse refusal = refusal(fileBytes, load);
        if (refusal != null) {
            return refusal;
        }
        Signal exact = exact(fileBytes, load);
        Signal most = Signal.higher(new Signal(state.limiter(), state.score()), exact);
        if (exact.score() > 1) {
            return new Defer(
                    most.limiter(), most.score(), bounded(settings.decay().halfLifeMillis() * (exact.score() - 1)));
        }
        if (state.closed()) {
            return new Defer(state.limiter(), state.score(), untilOpen(state.score(), measured.score()));
        }
        return new Admit(most.limiter(), most.score());
    }

    private Signal exact(long fileBytes, NodeLoad load) {
        Signal height = new Signal(Limiter.HEIGHT, (load.height() + 1.0) / settings.hardHeight());
        double staged = (double) load.stagedBytes() + fileBytes;
        Signal staging = new Signal(Limiter.STAGING, staged / settings.stagedBytes());
        double left = Math.max(1, load.diskFreeBytes() - fileBytes);
        Signal disk = new Signal(Limiter.DISK, settings.disk().lowBytes() / left);
        return Signal.higher(Signal.higher(height, staging), disk);
    }

    private Signal measured(NodeLoad load) {
        Signal files = new Signal(Limiter.FILES, (double) load.files() / settings.files());
        Signal compaction =
                new Signal(Limiter.COMPACTION, (double) load.compactionBytes() / settings.compactionBytes());
        Signal stall = new Signal(Limiter.STALL, stallScore(load.stall()));
        return Signal.higher(Signal.higher(files, compaction), stall);
    }

    private static double stallScore(WriteStall stall) {
        return switch (stall) {
            case NONE -> 0;
            case DELAYED -> DELAYED_SCORE;
            case STOPPED -> STOPPED_SCORE;
        };
    }

    /**
     * The next state: the score follows a rising signal at once and decays exponentially; the gate closes above 1 and
     * reopens at {@link AdmissionSettings.Decay#reopenScore}.
     */
    private AdmissionState remember(Signal now, long nowMillis, AdmissionState last) {
        long elapsed = Math.max(0, nowMillis - last.atMillis());
        double memory = Math.pow(0.5, (double) elapsed / settings.decay().halfLifeMillis());
        double faded = now.score() + (last.score() - now.score()) * memory;
        boolean rising = now.score() >= faded;
        double score = rising ? now.score() : faded;
        boolean closed = score > 1 || (last.closed() && score > settings.decay().reopenScore());
        return new AdmissionState(rising ? now.limiter() : last.limiter(), score, closed, nowMillis);
    }

    /** The refusal when waiting does not help; null otherwise. */
    private @Nullable Refuse refusal(long fileBytes, NodeLoad load) {
        if (fileBytes > settings.stagedBytes()) {
            return new Refuse(
                    Limiter.SST_SIZE,
                    (double) fileBytes / settings.stagedBytes(),
                    String.format(
                            Locale.ROOT,
                            "the SST has %d bytes, the node takes at most %d at a time: write smaller SSTs or raise the "
                                    + "staging limit",
                            fileBytes,
                            settings.stagedBytes()));
        }
        long left = load.diskFreeBytes() - fileBytes;
        if (left < settings.disk().reserveBytes()) {
            return new Refuse(
                    Limiter.DISK,
                    (double) settings.disk().lowBytes() / Math.max(1, left),
                    String.format(
                            Locale.ROOT,
                            "the disk has %d bytes free, and with this SST of %d less than the reserve of %d: make room "
                                    + "or add nodes",
                            load.diskFreeBytes(),
                            fileBytes,
                            settings.disk().reserveBytes()));
        }
        return null;
    }

    /** Milliseconds until the score decays to the reopen score, if the signal stays constant. */
    private long untilOpen(double score, double signal) {
        if (signal >= settings.decay().reopenScore()) {
            return bounded(settings.decay().halfLifeMillis() * score);
        }
        double halfLives = Math.log((score - signal) / (settings.decay().reopenScore() - signal)) / Math.log(2);
        return bounded(settings.decay().halfLifeMillis() * halfLives);
    }

    private long bounded(double millis) {
        return Math.max(
                settings.waits().minMillis(), Math.min(settings.waits().maxMillis(), Math.round(Math.ceil(millis))));
    }
}
