import { InvalidArgumentError } from 'commander';
import {
  erasuresName,
  erasuresProgress,
  paidStatusName,
  paidStatusProjection,
  payoutRunsName,
  payoutRunsProgress,
  postingName,
  postingProjection,
} from '@refledger/balances';
import { toPosition, type Position } from '@refledger/contracts';
import { relayName } from '@refledger/event-bus';
import {
  affiliateSearch,
  projectionNames,
  projections,
  projectorName,
} from '@refledger/projections';
import type { ProjectionSpec } from '@refledger/read-store';
import { dispatcherName } from '@refledger/webhook-endpoints';
import { UsageError } from './exit-codes.js';

/** Parses a position from the command line. Throws `InvalidArgumentError`. */
export const positionArgument = (text: string): Position => {
  const position = toPosition(text);
  if (position === undefined)
    throw new InvalidArgumentError(
      'It must be a position in decimal digits, as ops tail shows it.',
    );
  return position;
};

/** Parses a count from 0 to 9999999 from the command line. Throws `InvalidArgumentError`. */
export const countArgument = (text: string): number => {
  if (!/^\d{1,7}$/.test(text))
    throw new InvalidArgumentError('It must be a number from 0 to 9999999.');
  return Number(text);
};

/** The processors that operators can decide about, and what each does. */
export const processors = {
  [projectorName]: 'maintains the read models',
  [postingName]: 'posts entries to balances',
  [payoutRunsName]: 'carries out payout runs',
  [paidStatusName]: 'tells conversions which payout paid them',
  [erasuresName]: 'destroys the keys of erased affiliates',
  [dispatcherName]: 'plans and sends webhooks',
  [relayName]: 'publishes to Kafka, if Kafka is the event bus',
} as const;

/** The list of processors for help texts. */
export const processorsHelp = Object.entries(processors)
  .map(([name, does]) => `  ${name.padEnd(20)}${does}`)
  .join('\n');

/** Throws `UsageError` unless a processor has this name: a decision would have no effect. */
export const requireProcessor = (name: string): void => {
  if (!Object.hasOwn(processors, name))
    throw new UsageError(
      `there is no processor ${JSON.stringify(name)}. Use one of: ${Object.keys(processors).join(', ')}.`,
    );
};

/** Whether a processor waits for a decision on where to resume, and carries out no other one. */
export const waitsForDecision = (name: string): boolean =>
  name === dispatcherName || name === relayName;

interface LedgerProcessor {
  /** The name of the builds that hold its checkpoints. */
  readonly builds: string;
  /** Warning for an operator who is about to make it skip events. */
  readonly ofSkipping: string;
}

const notPosted = `Posting never posts an event that it skipped. ops verify --ledger names the affiliates whose balances then differ from what
they earned, or from their payouts. Correct what is owed with an adjustment. If a reservation or the end of a payout was
skipped, run ops resume posting --from <its position>: posting then carries it out.`;

/** The types of events that posting can still carry out after it skipped them. */
export const repairableTypes: ReadonlySet<string> = new Set([
  'payout.completed',
  'payout.failed',
  'payout.canceled',
  'balance.reserved',
]);

const notCarriedOut = `A run or mark that is skipped is never carried out: the run keeps running, and the mark changes no more payouts.
Start another run, or change the payouts themselves.`;

const notFollowed = `The outcome of a payout that the paid-status processor skips is shown neither as the payout_id of conversions nor in the statistics.
Balances and payouts do not depend on it.`;

const notDestroyed = `The key of an affiliate stays until its erasure is carried out. Nothing shows its values, but they could still be opened with the
key store.`;

const ledgerProcessors: ReadonlyMap<string, LedgerProcessor> = new Map([
  [postingName, { builds: postingProjection.name, ofSkipping: notPosted }],
  [payoutRunsName, { builds: payoutRunsProgress.name, ofSkipping: notCarriedOut }],
  [paidStatusName, { builds: paidStatusProjection.name, ofSkipping: notFollowed }],
  [erasuresName, { builds: erasuresProgress.name, ofSkipping: notDestroyed }],
]);

/** The event processor of the ledger with this name; undefined for the other ones. */
export const ledgerProcessor = (name: string): LedgerProcessor | undefined =>
  ledgerProcessors.get(name);

/** The consequences of skipping for each event processor of the ledger, for help texts. */
export const skippingHelp = [...ledgerProcessors.values()]
  .map(({ ofSkipping }) => ofSkipping)
  .join('\n\n');

/** The list of projections for help texts. */
export const projectionsHelp = `Projections: ${projectionNames.join(', ')}`;

/** The read model of this name. Throws `UsageError` if there is none. */
export const requireProjection = (name: string): ProjectionSpec => {
  const projection = [...projections, affiliateSearch].find((known) => known.name === name);
  if (projection === undefined)
    throw new UsageError(
      `there is no projection ${JSON.stringify(name)}. Use one of: ${projectionNames.join(', ')}.`,
    );
  return projection;
};
