package io.sluice.engine.admit;

/**
 * The state of a node's gate between two requests.
 *
 * @param limiter the measured signal that was nearest its limit
 * @param score its score after smoothing
 * @param closed whether the gate is closed until the score has fallen well below the limit
 * @param atMillis time of the decision
 */
public record AdmissionState(Limiter limiter, double score, boolean closed, long atMillis) {
    /** The initial state, of an idle node. */
    public static final AdmissionState IDLE = new AdmissionState(Limiter.FILES, 0, false, 0);
}
