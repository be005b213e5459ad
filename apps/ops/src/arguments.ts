import { InvalidArgumentError } from 'commander';
import { payoutRunsName, postingName } from '@refledger/balances';
import { toPosition, type Position } from '@refledger/contracts';
import { projections, projectorName, type Projection } from '@refledger/projections';
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
  'webhook-dispatcher': 'plans and sends webhooks',
  relay: 'publishes to Kafka, if Kafka is the event bus',
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

/** What an operator must know before making posting pass over events. */
export const notPosted = `What posting leaves out is never posted. ops verify --ledger names the affiliates whose balances then differ from what
they earned. Correct each with an adjustment.`;

/** The list of projections for help texts. */
export const projectionsHelp = `Projections: ${projections.map(({ name }) => name).join(', ')}`;

/** The projection of this name. Throws `UsageError` if there is none. */
export const projectionNamed = (name: string): Projection => {
  const projection = projections.find((known) => known.name === name);
  if (projection === undefined)
    throw new UsageError(
      `there is no projection ${JSON.stringify(name)}. Use one of: ${projections.map((known) => known.name).join(', ')}.`,
    );
  return projection;
};
