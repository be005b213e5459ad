import { projectorName } from '@refledger/projections';
import { UsageError } from './exit-codes.js';

/** The processors that operators can decide for, and what each does. */
export const processors = {
  [projectorName]: 'keeps the read models',
  'webhook-dispatcher': 'plans and sends webhooks',
  relay: 'publishes to Kafka, where that is the bus',
} as const;

/** For help texts. */
export const processorsHelp = Object.entries(processors)
  .map(([name, does]) => `  ${name.padEnd(20)}${does}`)
  .join('\n');

/** Throws `UsageError` for a name that no processor has: nobody would ever read the decision. */
export const requireProcessor = (name: string): void => {
  if (!Object.hasOwn(processors, name))
    throw new UsageError(
      `there is no processor ${JSON.stringify(name)}; there are: ${Object.keys(processors).join(', ')}`,
    );
};
