package io.sluice.node.admit;

import io.sluice.node.admit.AdmissionDecision.Admit;
import io.sluice.node.admit.AdmissionDecision.Defer;
import io.sluice.node.admit.AdmissionDecision.Refuse;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The gate of a storage node: may this SST enter now? Pure.
 *
 * <p>The score is the highest of several signals. Some are <i>exact</i>: the height over the SST's own keys, staged
 * bytes, disk space. They are book-keeping, include all that was admitted and the SST itself, and are taken as they
 * are; since the height is that over the SST's own keys, a quiet stretch of keys stays open while another is crowded.
 * The others, files, bytes awaiting compaction and stalls, are <i>measured</i>: they rise and fall with every merge,
 * and so are smoothed and given hysteresis. A rise counts at once, a fall only as the memory of the rise fades, and a
 * gate that has closed stays so until the score is well below the limit. A dip between two merges so lets nobody in
 * (CockroachDB once admitted gigabytes on one, its issue 109361). Gating on all of them matters: with sublevels alone,
 * narrow files pile up by the ten thousand (its issue 79083).
 */
public final class AdmissionPolicy {
    /** Scores of a write stall: RocksDB is beyond a limit of its own. */
    private static final double DELAYED_SCORE = 1.25;

    private static final double STOPPED_SCORE = 2.0;

    private final AdmissionSettings settings;

    public AdmissionPolicy(AdmissionSettings settings) {
        this.settings = settings;
    }

    /**
     * Decides. Calls for one node must come one after the other, each with the state that the last one gave, and what
     * was admitted must show in the next load.
     */
    public AdmissionOutcome decide(AdmissionRequest request, NodeLoad load, AdmissionState last) {
        Signal measured = measured(load);
        AdmissionState state = remember(measured, load.nowMillis(), last);
        return new AdmissionOutcome(decide(request, load, measured, state), state);
    }

    private AdmissionDecision decide(AdmissionRequest request, NodeLoad load, Signal measured, AdmissionState state) {
        Refuse refusal = refusal(request, load);
        if (refusal != null) {
            return refusal;
        }
        Signal exact = exact(request, load);
        Signal most = Signal.higher(new Signal(state.limiter(), state.score()), exact);
        if (exact.score() > 1) {
            return new Defer(most.limiter(), most.score(), bounded(settings.halfLifeMillis() * (exact.score() - 1)));
        }
        if (state.closed()) {
            return new Defer(state.limiter(), state.score(), untilOpen(state.score(), measured.score()));
        }
        return new Admit(most.limiter(), most.score());
    }

    private Signal exact(AdmissionRequest request, NodeLoad load) {
        int limit = request.visible() ? settings.softHeight() : settings.hardHeight();
        Signal height = new Signal(Limiter.HEIGHT, (load.height() + 1.0) / limit);
        double staged = (double) load.stagedBytes() + request.fileBytes();
        Signal staging = new Signal(Limiter.STAGING, staged / settings.stagedBytes());
        double left = Math.max(1, load.diskFreeBytes() - request.fileBytes());
        Signal disk = new Signal(Limiter.DISK, settings.diskLowBytes() / left);
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
     * The score jumps up with the signal and comes down exponentially; the gate shuts above 1 and opens at the lower
     * mark.
     */
    private AdmissionState remember(Signal now, long nowMillis, AdmissionState last) {
        long elapsed = Math.max(0, nowMillis - last.atMillis());
        double memory = Math.pow(0.5, (double) elapsed / settings.halfLifeMillis());
        double faded = now.score() + (last.score() - now.score()) * memory;
        boolean rising = now.score() >= faded;
        double score = rising ? now.score() : faded;
        boolean closed = score > 1 || (last.closed() && score > settings.reopenScore());
        return new AdmissionState(rising ? now.limiter() : last.limiter(), score, closed, nowMillis);
    }

    /** What waiting does not cure; null when there is nothing of the kind. */
    private @Nullable Refuse refusal(AdmissionRequest request, NodeLoad load) {
        if (request.fileBytes() > settings.stagedBytes()) {
            return new Refuse(
                    Limiter.SST_SIZE,
                    (double) request.fileBytes() / settings.stagedBytes(),
                    String.format(
                            Locale.ROOT,
                            "the SST has %d bytes, the node takes at most %d at a time: write smaller SSTs or raise the "
                                    + "staging limit",
                            request.fileBytes(),
                            settings.stagedBytes()));
        }
        long left = load.diskFreeBytes() - request.fileBytes();
        if (left < settings.diskReserveBytes()) {
            return new Refuse(
                    Limiter.DISK,
                    (double) settings.diskLowBytes() / Math.max(1, left),
                    String.format(
                            Locale.ROOT,
                            "the disk has %d bytes free, and with this SST of %d less than the reserve of %d: make room "
                                    + "or add nodes",
                            load.diskFreeBytes(),
                            request.fileBytes(),
                            settings.diskReserveBytes()));
        }
        return null;
    }

    /** When the score will have faded to the mark at which the gate opens, if the signal stays what it is. */
    private long untilOpen(double score, double signal) {
        if (signal >= settings.reopenScore()) {
            return bounded(settings.halfLifeMillis() * score);
        }
        double halfLives = Math.log((score - signal) / (settings.reopenScore() - signal)) / Math.log(2);
        return bounded(settings.halfLifeMillis() * halfLives);
    }

    private long bounded(double millis) {
        return Math.max(settings.minDeferMillis(), Math.min(settings.maxDeferMillis(), Math.round(Math.ceil(millis))));
    }
}
