import type { Facts } from '../facts.js';
import { compareAfterRounds } from './after-rounds.js';
import { compareAttempted } from './attempted.js';
import { compareBalance } from './balance.js';
import { compareChained } from './chained.js';
import { compareChapters } from './chapters.js';
import type { Comparison } from './comparison.js';
import { compareCounted } from './counted.js';
import { compareDelivered } from './delivered.js';
import { compareEarned } from './earned.js';
import { compareLines } from './lines.js';
import { compareListed } from './listed.js';
import { compareNetted } from './netted.js';
import { compareOwed } from './owed.js';
import { comparePaid } from './paid.js';
import { comparePosted } from './posted.js';
import { compareReplayed } from './replayed.js';
import { compareRuns } from './runs.js';
import { compareStored } from './stored.js';
import { compareTrailed } from './trailed.js';
import { compareVerified } from './verified.js';
import { compareWorth } from './worth.js';

/** Compares what was sent with what the service stores, lists, counts and has delivered. */
export const compare = (facts: Facts): readonly Comparison[] =>
  comparisons.map((comparison) => comparison(facts));

/** All comparisons, in the order of their results. */
export const comparisons: readonly ((facts: Facts) => Comparison)[] = [
  ({ entries }) => compareBalance(entries),
  compareStored,
  compareListed,
  compareCounted,
  compareEarned,
  compareDelivered,
  compareAttempted,
  compareReplayed,
  comparePosted,
  compareOwed,
  compareWorth,
  comparePaid,
  compareLines,
  compareNetted,
  compareRuns,
  compareTrailed,
  compareChained,
  compareChapters,
  compareVerified,
  compareAfterRounds,
];
