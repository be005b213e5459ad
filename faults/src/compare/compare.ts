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
import { compareListed } from './listed.js';
import { compareOwed } from './owed.js';
import { comparePosted } from './posted.js';
import { compareStored } from './stored.js';
import { compareVerified } from './verified.js';
import { compareWorth } from './worth.js';

/** Compares what was sent with what the service stores, lists, counts and has delivered. */
export const compare = (facts: Facts): readonly Comparison[] => [
  compareBalance(facts.entries),
  compareStored(facts),
  compareListed(facts),
  compareCounted(facts),
  compareEarned(facts),
  compareDelivered(facts),
  compareAttempted(facts),
  comparePosted(facts),
  compareOwed(facts),
  compareWorth(facts),
  compareChained(facts),
  compareChapters(facts),
  compareVerified(facts),
  compareAfterRounds(facts),
];
