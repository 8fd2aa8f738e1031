package io.sluice.node.admit;

/**
 * What a node's gate remembers from one request to the next.
 *
 * @param limiter the measured signal that was nearest its limit
 * @param score how near it was, after smoothing
 * @param closed whether the gate is closed until the score has fallen well below the limit
 * @param atMillis when that was
 */
public record AdmissionState(Limiter limiter, double score, boolean closed, long atMillis) {
    /** Nothing yet: an idle node. */
    public static final AdmissionState IDLE = new AdmissionState(Limiter.FILES, 0, false, 0);
}
