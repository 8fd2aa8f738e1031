package io.sluice.service;

import io.sluice.model.error.BadInputException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.file.OwnerOnly;
import io.sluice.service.http.ServiceServer;
import io.sluice.service.job.JobFiles;
import io.sluice.service.job.JobRegistry;
import io.sluice.service.observe.AuditLog;
import io.sluice.service.run.JobRuns;
import io.sluice.service.run.Target;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * A running import service. It resumes the jobs of an earlier process and serves until it is closed. The caller owns
 * the target node and closes it after the service.
 */
public final class ImportService implements AutoCloseable {
    private static final String JOBS = "jobs";
    private static final String LOCK = "lock";

    private final FileChannel lock;
    private final AuditLog audit;
    private final JobRuns runs;
    private final ServiceServer server;

    private ImportService(FileChannel lock, AuditLog audit, JobRuns runs, ServiceServer server) {
        this.lock = lock;
        this.audit = audit;
        this.runs = runs;
        this.server = server;
    }

    /**
     * Starts a service.
     *
     * @param tables the target's tables, as the server shows them
     * @throws BadInputException if another service uses the state directory
     * @throws OperationFailedException if the directory cannot be used, or the address is in use
     */
    public static ImportService start(ServiceSettings settings, Target target, ServiceServer.Tables tables) {
        FileChannel lock = lock(settings.state());
        AuditLog audit = null;
        JobRuns runs = null;
        try {
            audit = new AuditLog(settings.state(), settings.clock());
            JobRegistry jobs = new JobRegistry(
                    new JobFiles(settings.state().resolve(JOBS)), settings.queueLimit(), settings.clock());
            runs = new JobRuns(jobs, target, settings.roots(), settings.run(), settings.clock());
            ServiceServer.Parts parts = new ServiceServer.Parts(
                    jobs, runs, target, settings.roots(), settings.run(), audit, settings.queueLimit(), tables);
            return new ImportService(lock, audit, runs, ServiceServer.start(parts, settings.http(), settings.limits()));
        } catch (RuntimeException | Error e) {
            if (runs != null) {
                runs.close();
            }
            if (audit != null) {
                audit.close();
            }
            close(lock);
            throw e;
        }
    }

    private static FileChannel lock(Path state) {
        FileChannel file = null;
        try {
            OwnerOnly.createDirectories(state);
            file = FileChannel.open(state.resolve(LOCK), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            FileLock held = file.tryLock();
            if (held != null) {
                return file;
            }
        } catch (OverlappingFileLockException e) {
            // Reported below.
        } catch (IOException e) {
            throw new OperationFailedException(state + ": cannot be used: " + e.getMessage(), e);
        }
        close(file);
        throw new BadInputException(
                state + ": another import service keeps its jobs here; end it, or name another directory with --state");
    }

    private static void close(@Nullable FileChannel file) {
        try {
            if (file != null) {
                file.close();
            }
        } catch (IOException e) {
            // The file held only a lock, which ends with the process.
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
        close(lock);
    }
}
