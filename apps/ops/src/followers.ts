import { projectorName } from '@refledger/views';
import { Misuse } from './exit-codes.js';

/** The followers that operators can decide for, and what each does. */
export const followers = {
  [projectorName]: 'keeps the read models',
  'webhook-dispatcher': 'plans and sends webhooks',
  relay: 'publishes to Kafka, where that is the bus',
} as const;

/** For help texts. */
export const followersHelp = Object.entries(followers)
  .map(([name, does]) => `  ${name.padEnd(20)}${does}`)
  .join('\n');

/** Throws `Misuse` for a name that no follower has: nobody would ever read the decision. */
export const requireFollower = (name: string): void => {
  if (!Object.hasOwn(followers, name))
    throw new Misuse(
      `there is no follower ${JSON.stringify(name)}; there are: ${Object.keys(followers).join(', ')}`,
    );
};
