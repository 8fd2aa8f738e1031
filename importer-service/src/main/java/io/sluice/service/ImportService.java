package io.sluice.service;

import io.sluice.model.error.OperationFailedException;
import io.sluice.service.http.ServiceServer;
import io.sluice.service.job.JobFiles;
import io.sluice.service.job.JobRegistry;
import io.sluice.service.observe.AuditLog;
import io.sluice.service.run.JobRuns;
import io.sluice.service.run.Target;

/**
 * A running import service. It resumes the jobs of an earlier process and serves until it is closed. The caller owns
 * the state directory and the target node, and closes them after the service.
 */
public final class ImportService implements AutoCloseable {
    private static final String JOBS = "jobs";

    private final AuditLog audit;
    private final JobRuns runs;
    private final ServiceServer server;

    private ImportService(AuditLog audit, JobRuns runs, ServiceServer server) {
        this.audit = audit;
        this.runs = runs;
        this.server = server;
    }

    /**
     * Starts a service.
     *
     * @param tables the target's tables, as the server shows them
     * @throws OperationFailedException if the state directory cannot be used, or the address is in use
     */
    public static ImportService start(ServiceSettings settings, Target target, ServiceServer.Tables tables) {
        AuditLog audit = null;
        JobRuns runs = null;
        try {
            audit = new AuditLog(settings.state().path(), settings.clock());
            JobRegistry jobs = new JobRegistry(
                    new JobFiles(settings.state().path().resolve(JOBS), settings.catalog()),
                    settings.queueLimit(),
                    settings.clock());
            runs = new JobRuns(jobs, target, settings.roots(), settings.run(), settings.clock());
            ServiceServer.Parts parts = new ServiceServer.Parts(
                    jobs, runs, target, settings.roots(), settings.run(), audit, settings.queueLimit(), tables);
            return new ImportService(audit, runs, ServiceServer.start(parts, settings.http(), settings.limits()));
        } catch (RuntimeException | Error e) {
            if (runs != null) {
                runs.close();
            }
            if (audit != null) {
                audit.close();
            }
            throw e;
        }
    }

    /** The base URL for clients: scheme, host and port. */
    public String url() {
        return server.url();
    }

    public ServiceServer server() {
        return server;
    }

    /** Closes the server and stops all jobs within seconds; the next service resumes them. */
    @Override
    public void close() {
        server.close();
        runs.close();
        audit.close();
    }
}
