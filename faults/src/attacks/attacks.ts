import type { Attack } from './attack.js';
import { busyMinutes } from './busy-minutes.js';
import { changingKeys } from './changing-keys.js';
import { longRecord } from './long-record.js';
import { pipelinedPages } from './pipelined-pages.js';
import { toggledEndpoints } from './toggled-endpoints.js';
import { unknownKeys } from './unknown-keys.js';
import { waitingReads } from './waiting-reads.js';

/** All attacks, by the names under which the attacker process finds them. */
export const attacks = {
  unknownKeys,
  toggledEndpoints,
  waitingReads,
  longRecord,
  changingKeys,
  pipelinedPages,
  busyMinutes,
} satisfies Readonly<Record<string, Attack>>;

export type AttackName = keyof typeof attacks;
