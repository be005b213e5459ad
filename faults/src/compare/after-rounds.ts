import type { Facts } from '../facts.js';
import type { Comparison } from './comparison.js';

/** Checks that balances agreed with the log after every round. */
export const compareAfterRounds = ({ rounds }: Pick<Facts, 'rounds'>): Comparison => ({
  claim: 'balances agreed after every round',
  figures: {
    rounds: rounds.length,
    kills: rounds.reduce((sum, { kills }) => sum + kills, 0),
    'checkpoints lost': rounds.filter(({ isCheckpointLost }) => isCheckpointLost).length,
    'compared in between': rounds.filter(({ differences }) => differences !== undefined).length,
  },
  differences: rounds.flatMap(({ differences = [] }, index) =>
    differences.map((difference) => `after round ${index + 1}: ${difference}`),
  ),
});
