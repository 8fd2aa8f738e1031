package io.sluice.cli;

import java.util.List;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.IHelpSectionRenderer;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/** Examples of all commands, which their helps and manual pages show. */
final class Examples implements IHelpSectionRenderer {
    /** One command line each; its first words name the command. */
    private static final List<String> LINES = """
            sluice import --store data --schema shop.sql --header orders.csv.gz
            sluice import --nodes HOST:7001,HOST:7001 --schema shop.sql --job-id orders-1 s3://BUCKET/orders/
            sluice import --server http://127.0.0.1:8080 --schema shop.sql --max-rejects 1% /data/incoming/orders.csv
            sluice replay sluice-rejects/orders-1 --store data
            sluice replay /data/service/jobs/orders-1/rejects --server http://127.0.0.1:8080
            sluice build --schema shop.sql --output orders.set orders.csv
            sluice build --schema shop.sql --output db --target rocksdb --key id --value json orders.csv
            sluice backup orders --store data --output orders.backup
            sluice backup orders --nodes HOST:7001,HOST:7001 --output s3://BUCKET/orders-2026-11-25
            sluice backup --all --nodes HOST:7001 --output s3://BUCKET/2026-11-25
            sluice ingest orders.set --store data
            sluice ingest s3://BUCKET/orders --nodes HOST:7001,HOST:7001 --replicas 2
            sluice ingest /data/orders.set --server http://127.0.0.1:8080
            sluice restore orders.backup --store data
            sluice restore s3://BUCKET/2026-11-25 --nodes HOST:7001 --replicas 2
            sluice verify orders.set
            sluice plan --schema shop.sql orders.csv.gz
            sluice encode --schema shop.sql orders.csv
            sluice tables --store data
            sluice tables --nodes HOST:7001,HOST:7001 --json
            sluice get orders 1020 --store data
            sluice scan orders --store data --index by_customer --from 17 --to 18 --limit 20
            sluice export orders --store data --to orders.csv
            sluice export orders --nodes HOST:7001 --format parquet --to backup/ --parts 8
            sluice digest orders --store data
            sluice drop orders --store data
            sluice recover --store data
            sluice tune orders --store data
            sluice sql --store data -e 'SELECT customer, count(*) FROM orders GROUP BY customer ORDER BY 2 DESC LIMIT 5'
            sluice sql --server http://127.0.0.1:8080
            sluice transactions --nodes HOST:7001,HOST:7001
            sluice transactions resolve 0190b1f2-0000-7000-8000-000000000001 --nodes HOST:7001 --commit
            sluice apply --store data --log-name orders-2026 changes.jsonl
            sluice lsm --store data --table orders
            sluice lsm --store data --html tree.html
            sluice jobs list --state running,paused
            sluice jobs show orders-1
            sluice jobs watch orders-1
            sluice jobs pause orders-1
            sluice jobs resume orders-1
            sluice jobs cancel orders-1
            sluice jobs rejects orders-1 --limit 20
            sluice jobs conflicts orders-1 --json
            sluice jobs lsm orders-1
            sluice node --store data --listen 127.0.0.1:7001
            sluice node --store data --listen 10.0.0.1:7001 --token-file token --tls-cert cert.pem --tls-key key.pem
            sluice cluster status --nodes HOST:7001
            sluice cluster add d --nodes HOST:7001
            sluice cluster drain c --nodes HOST:7001
            sluice cluster remove c --nodes HOST:7001
            sluice cluster replace c d --nodes HOST:7001
            sluice cluster repair --nodes HOST:7001
            sluice cluster rebalance --nodes HOST:7001 --max-rate 50m
            sluice cluster verify --nodes HOST:7001 --table orders
            sluice serve --store data --allow-root /data/incoming
            sluice serve --nodes HOST:7001,HOST:7001 --state jobs --listen 10.0.0.1:8443 --tokens tokens --tls-cert cert.pem --tls-key key.pem
            sluice schema infer --header orders.csv
            sluice workload tpcc stock --warehouses 1 --schema stock.sql -o stock.csv
            sluice workload changes --changes 1000000 -o changes.jsonl
            sluice config
            sluice completion bash
            sluice manual import
            """.lines().toList();

    /** Adds the examples to the help of a command and of those within it. */
    static void addTo(CommandLine command) {
        command.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_FOOTER, new Examples());
        command.getSubcommands().values().forEach(Examples::addTo);
    }

    /** The number of all examples. */
    static int count() {
        return LINES.size();
    }

    /** The examples of a command, or those of all commands within it; none of the program itself. */
    static List<String> of(CommandSpec command) {
        if (command.parent() == null) {
            return List.of();
        }
        String name = command.qualifiedName();
        return LINES.stream()
                .filter(line -> line.equals(name) || line.startsWith(name + " "))
                .toList();
    }

    @Override
    public String render(Help help) {
        List<String> examples = of(help.commandSpec());
        String shown = examples.stream().map(line -> "  " + line + "%n").collect(Collectors.joining());
        return (shown.isEmpty()
                        ? ""
                        : String.format(
                                "%nExamples:%n" + shown.replace("%", "%%").replace("%%n", "%n")))
                + help.footer();
    }
}
