import { projectorName } from '@refledger/projections';
import { UsageError } from './exit-codes.js';

/** The processors that operators can decide about, and what each does. */
export const processors = {
  [projectorName]: 'keeps the read models',
  'webhook-dispatcher': 'plans and sends webhooks',
  relay: 'publishes to Kafka, where that is the bus',
} as const;

/** The list of processors for help texts. */
export const processorsHelp = Object.entries(processors)
  .map(([name, does]) => `  ${name.padEnd(20)}${does}`)
  .join('\n');

/** Throws `UsageError` for the name of no processor: a decision about it would have no effect. */
export const requireProcessor = (name: string): void => {
  if (!Object.hasOwn(processors, name))
    throw new UsageError(
      `there is no processor ${JSON.stringify(name)}; there are: ${Object.keys(processors).join(', ')}`,
    );
};
