import { present } from '@refledger/testing/present';
import { steady, type DoctoredFacts, type Doctoring } from './doctored.js';

/** A delivery of a replay. */
const replayed = (facts: DoctoredFacts) =>
  present([...facts.deliveries.values()].find(({ trigger }) => trigger === 'replay'));

export const doctoredReplays: readonly Doctoring[] = [
  [
    'a replayed event that never arrived',
    'reached its endpoints',
    (facts) => {
      for (const [key, { path }] of facts.receipts)
        if (path.startsWith('/late')) facts.receipts.delete(key);
    },
  ],
  [
    'two deliveries of one event that no one asked for',
    'reached its endpoints',
    (facts) => {
      const [, receipt] = steady(facts);
      const one = present(facts.deliveries.get(present([...receipt.deliveries][0])));
      facts.deliveries.set('dlv_other', { ...one, trigger: 'event' });
      receipt.deliveries.add('dlv_other');
    },
  ],
  [
    'a delivery that a replay does not count',
    'count their deliveries',
    (facts) => void (replayed(facts).replayId = null),
  ],
  [
    'a replay that still runs',
    'count their deliveries',
    (facts) => void (present(facts.replays[0]).status = 'running'),
  ],
  ['a replay that is lost', 'count their deliveries', (facts) => void facts.replays.splice(0)],
  [
    'a replayed delivery that failed',
    'every attempt',
    (facts) => void (replayed(facts).status = 'failed'),
  ],
];
