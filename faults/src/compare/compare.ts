import type { Facts } from '../facts.js';
import { compareAttempted } from './attempted.js';
import { compareBalance } from './balance.js';
import type { Comparison } from './comparison.js';
import { compareCounted } from './counted.js';
import { compareDelivered } from './delivered.js';
import { compareEarned } from './earned.js';
import { compareListed } from './listed.js';
import { compareStored } from './stored.js';

/** Compares what was sent with what the service stores, lists, counts and has delivered. */
export const compare = (facts: Facts): readonly Comparison[] => [
  compareBalance(facts.entries),
  compareStored(facts),
  compareListed(facts),
  compareCounted(facts),
  compareEarned(facts),
  compareDelivered(facts),
  compareAttempted(facts),
];
