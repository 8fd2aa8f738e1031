package io.sluice.rest;

/** A request or a statement that the service refused. */
public final class ServiceException extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private static final int NOT_FOUND = 404;

    private final int status;
    private final String code;

    ServiceException(int status, String code, String message) {
        super(message);
        this.status = status;
        this.code = code;
    }

    /** The HTTP status; 200 for a statement that failed. */
    public int status() {
        return status;
    }

    /** The type of the problem, or the error code of the statement. */
    public String code() {
        return code;
    }

    boolean isNotFound() {
        return status == NOT_FOUND;
    }
}
