import { Option, type Command } from 'commander';
import { allProjections, projectionNames } from '@refledger/projections';
import { countArgument, requireProjection, projectionsHelp } from '../arguments.js';
import { openTermsLate } from '../engines/open-terms.js';
import { openScratchStore } from '../engines/scratch-store.js';
import { exitCodes, UsageError, type ExitCode } from '../exit-codes.js';
import { counted } from '../format/counted.js';
import { differenceLine } from '../verify/difference-line.js';
import { withPersonalValues, type PersonalValues } from '../personal/personal-values.js';
import type { Ops, RunWith } from './ops.js';
import { newProgress } from '../progress.js';
import { verifyLedger } from '../verify/verify-ledger.js';
import { verifyPersonalData } from '../verify/verify-personal-data.js';
import { verifyReadModels, type Finding } from '../verify/verify-read-models.js';
import { verifyWebhooks } from '../verify/verify-webhooks.js';
import { withOpen } from '../with-open.js';

/** Adds `ops verify` to the program. */
export const addVerify = (program: Command, runWith: RunWith): void => {
  program
    .command('verify')
    .description(
      'Folds read models from the log again and lists every difference from the stored ones.',
    )
    .argument('[projection...]', 'the projections to verify (default: all)')
    .addOption(
      new Option('--show <n>', 'how many differences to list (per projection); all are counted')
        .argParser(countArgument)
        .default(100),
    )
    .addOption(
      new Option(
        '--ledger',
        'verify the balances instead: their entries, hash chains and chapters, against conversions and adjustments',
      ).conflicts('webhooks'),
    )
    .option(
      '--webhooks',
      'verify the deliveries instead: each event has one to each endpoint that wanted it, and there are no others',
    )
    .addOption(
      new Option(
        '--personal',
        'show the personal data that differs, which needs the key store and SECRETS_KEY',
      ).conflicts(['ledger', 'webhooks', 'personalData']),
    )
    .addOption(
      new Option(
        '--personal-data',
        'verify only that all sealed personal data has its key or its erasure, and that nothing is left of erased affiliates',
      ).conflicts(['ledger', 'webhooks']),
    )
    .addHelpText('after', examples)
    .action(runWith(verify));
};

const examples = `
${projectionsHelp}

Changes nothing, and works while the service writes. Read models are compared as of one instant. On MongoDB, each
difference is checked again as of its document's position instead. Without projections, this command does what
--personal-data does, too; with SECRETS_KEY, it also tries to unwrap each key. To repair a projection that differs, run
\`ops rebuild <projection>\`. Folding needs a temporary file about as large as the read models. Personal data is compared
without opening it.

Examples:
  $ ops verify
  $ ops verify conversions affiliate_stats --show 5
  $ ops verify --ledger
  $ ops verify --webhooks
  $ ops verify --personal-data`;

interface VerifyOptions {
  readonly show: number;
  readonly ledger?: boolean;
  readonly webhooks?: boolean;
  readonly personal?: boolean;
  readonly personalData?: boolean;
}

const verify = (ops: Ops, names: readonly string[], options: VerifyOptions): Promise<ExitCode> => {
  const other = others.find(({ option }) => options[option] === true);
  if (other === undefined)
    return names.length > 0 ? verifyProjections(ops, names, options) : verifyAll(ops, options);
  if (names.length > 0)
    throw new UsageError(`${other.verifies}, not projections. Omit the projections.`);
  return other.run(ops, options);
};

const verifyAll = async (ops: Ops, options: VerifyOptions): Promise<ExitCode> => {
  const codes = [await verifyProjections(ops, [], options), await verifyKeys(ops, options)];
  return codes.find((code) => code !== exitCodes.success) ?? exitCodes.success;
};

const verifyKeys = async (
  { console, engines }: Ops,
  { show }: VerifyOptions,
): Promise<ExitCode> => {
  const findings = await withOpen(engines.openLog(), (log) =>
    withOpen(engines.openStore(), (store) =>
      verifyPersonalData({ log, store, show, console, engines }),
    ),
  );
  return findings === 0 ? exitCodes.success : exitCodes.failure;
};

const verifyBalances = async (
  { console, engines }: Ops,
  { show }: VerifyOptions,
): Promise<ExitCode> => {
  const findings = await withOpen(engines.openLog(), (log) =>
    withOpen(engines.openStore(), (store) => verifyLedger({ log, store, console, show })),
  );
  return findings === 0 ? exitCodes.success : exitCodes.failure;
};

const verifyDeliveries = async (
  { console, engines }: Ops,
  { show }: VerifyOptions,
): Promise<ExitCode> => {
  const findings = await withOpen(engines.openLog(), (log) =>
    withOpen(engines.openDeliveries(), (deliveries) =>
      verifyWebhooks({ log, deliveries, console, show }),
    ),
  );
  return findings === 0 ? exitCodes.success : exitCodes.failure;
};

/** What is verified instead of projections. */
const others = [
  { option: 'ledger', verifies: '--ledger verifies balances', run: verifyBalances },
  { option: 'webhooks', verifies: '--webhooks verifies deliveries', run: verifyDeliveries },
  { option: 'personalData', verifies: '--personal-data verifies keys', run: verifyKeys },
] as const;

const verifyProjections = async (
  { console, engines }: Ops,
  names: readonly string[],
  { show, personal: isAsked = false }: VerifyOptions,
): Promise<ExitCode> => {
  const chosen = new Set(names.length === 0 ? projectionNames : names);
  for (const name of chosen) requireProjection(name);
  const terms = openTermsLate(() => engines.openTerms());
  return withOpen(engines.openLog(), (log) =>
    withOpen(engines.openStore(), (store) =>
      withOpen(openScratchStore(), (scratch) =>
        withPersonalValues(engines, { log, isAsked }, async (personal) => {
          const all = allProjections(terms.make, log);
          const projections = all.filter(({ name }) => chosen.has(name));
          const progress = newProgress('folding', console);
          const { signal } = console;
          const parts = { log, store, scratch, projections, progress, signal };
          let faults = 0;
          for await (const finding of verifyReadModels(parts)) {
            if (finding.kind === 'unreadable') faults++;
            if (finding.kind === 'compared') faults += finding.differing;
            for (const line of await linesOf(finding, { show, personal }))
              await console.print(line);
          }
          return faults === 0 ? exitCodes.success : exitCodes.failure;
        }),
      ),
    ),
  ).finally(() => terms.close());
};

interface Shown {
  /** How many differences to list. */
  readonly show: number;
  readonly personal: PersonalValues | undefined;
}

const linesOf = async (finding: Finding, { show, personal }: Shown): Promise<readonly string[]> => {
  switch (finding.kind) {
    case 'skipped':
      return [
        `${counted(finding.events, 'event')} skipped here too, as decided with \`ops skip\`; \`ops show projector\` lists them`,
      ];
    case 'difference':
      return finding.count > show
        ? []
        : [await differenceLine(finding.projection, finding.difference, personal)];
    case 'unreadable':
      return [`${finding.projection}: ${finding.why}`];
    case 'compared': {
      const { projection, position, documents, differing, differences } = finding;
      const verdict =
        differing === 0 ? 'matching the log' : `${differing} with differences from the log`;
      return [
        ...(differences > show ? [`  ${projection}: and ${differences - show} more`] : []),
        `${projection.padEnd(18)} up to position ${position ?? 'none'}: ${counted(documents, 'document')}, ${verdict}`,
      ];
    }
  }
};
