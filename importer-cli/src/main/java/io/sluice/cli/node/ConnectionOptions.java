package io.sluice.cli.node;

import io.sluice.http.ConnectionLimits;
import io.sluice.model.error.BadInputException;
import picocli.CommandLine.Option;

/** Limits on connections: options of every command that listens. */
public final class ConnectionOptions {
    /** Minimum, to leave room for requests that must always be answered. */
    private static final int FEWEST = 8;

    @Option(
            names = "--connections",
            paramLabel = "N",
            description = "Limit of open connections; 3/4 of them may have requests in progress." + " Default: 1024.")
    int total = ConnectionLimits.defaults().total();

    @Option(
            names = "--client-connections",
            paramLabel = "N",
            description = "Limit of connections from one address. Default: half of --connections.")
    int perClient;

    /**
     * Returns the limits.
     *
     * @throws BadInputException when they are too small
     */
    public ConnectionLimits limits() {
        int ofClient = perClient == 0 ? total / 2 : perClient;
        if (total < FEWEST || ofClient < FEWEST / 2 || ofClient > total) {
            throw new BadInputException("--connections " + total + ", --client-connections " + ofClient
                    + ": must be at least " + FEWEST + " and " + FEWEST / 2
                    + ", and one address may not have more than there are");
        }
        return ConnectionLimits.of(total, ofClient);
    }
}
