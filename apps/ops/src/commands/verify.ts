import { Option, type Command } from 'commander';
import { projections } from '@refledger/projections';
import { countArgument } from '../arguments.js';
import { exitCodes, type ExitCode } from '../exit-codes.js';
import { counted } from '../format/counted.js';
import { differenceLine } from '../format/difference-line.js';
import type { Ops, RunWith } from './ops.js';
import { newProgress } from '../progress.js';
import { verifyReadModels } from '../verify/verify-read-models.js';
import { projectionNamed, projectionsHelp } from '../projections-named.js';
import { withOpen } from '../with-open.js';

export const addVerify = (program: Command, runWith: RunWith): void => {
  program
    .command('verify')
    .description(
      'Folds read models again from the log and names every difference to the stored ones.',
    )
    .argument('[projection...]', 'which read models; all when none is named')
    .addOption(
      new Option('--show <n>', 'how many differences of a projection are named; all are counted')
        .argParser(countArgument)
        .default(100),
    )
    .addHelpText('after', examples)
    .action(runWith(verify));
};

const examples = `
${projectionsHelp}

The stored read models are compared as of one instant, or, on MongoDB, what differs is looked at again as of its own place in the log: a running
service may go on writing. Nothing is changed;
\`ops rebuild <projection>\` mends a projection that differs. Folding uses a temporary file about as large as the read models.

Examples:
  $ ops verify
  $ ops verify conversions affiliate_stats --show 5`;

const verify = async (
  { console, engines }: Ops,
  names: readonly string[],
  { show }: { readonly show: number },
): Promise<ExitCode> => {
  const chosen = names.length === 0 ? projections : [...new Set(names)].map(projectionNamed);
  let faults = 0;
  await withOpen(engines.openLog(), (log) =>
    withOpen(engines.openStore(), (store) =>
      withOpen(engines.openScratchStore(), async (scratch) => {
        const progress = newProgress('folding', console);
        const { signal } = console;
        for await (const finding of verifyReadModels({
          log,
          store,
          scratch,
          projections: chosen,
          progress,
          signal,
        })) {
          switch (finding.kind) {
            case 'skipped':
              await console.print(
                `${counted(finding.events, 'event')} left out by \`ops skip\`, here too: \`ops show projector\` names them`,
              );
              break;
            case 'difference':
              if (finding.count <= show)
                await console.print(differenceLine(finding.projection, finding.difference));
              break;
            case 'unreadable':
              faults++;
              await console.print(`${finding.projection}: ${finding.why}`);
              break;
            case 'compared': {
              const { projection, position, documents, differing, differences } = finding;
              faults += differing;
              if (differences > show)
                await console.print(`  ${projection}: and ${differences - show} more`);
              const verdict =
                differing === 0 ? 'as the log says' : `${differing} of them not as the log says`;
              await console.print(
                `${projection.padEnd(18)} up to position ${position ?? 'none'}: ${counted(documents, 'document')}, ${verdict}`,
              );
            }
          }
        }
      }),
    ),
  );
  return faults === 0 ? exitCodes.fine : exitCodes.found;
};
