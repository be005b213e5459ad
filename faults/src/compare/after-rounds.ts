import type { Facts } from '../facts.js';
import type { Comparison } from './comparison.js';

/** What one round did, and the differences in balances that were found after it. */
export interface RoundReport {
  readonly kills: number;
  /** Whether posting lost its checkpoint between kill and start. */
  readonly isCheckpointLost: boolean;
  /** Undefined if balances were not compared after this round. */
  readonly differences: readonly string[] | undefined;
}

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
