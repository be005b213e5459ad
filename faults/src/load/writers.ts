import { setTimeout as sleep } from 'node:timers/promises';
import { create, type WriteAction, type Writing } from './act.js';
import { changeAdjustment, createAdjustment, createAdjustmentTwice } from './adjustments.js';
import { changeAffiliate, createAffiliate, deleteAffiliate, raceForEmail } from './affiliates.js';
import {
  changeConversion,
  createTwiceConcurrently,
  createWithKey,
  createWithTransactionId,
  repeatCreate,
  repeatWithOtherAmount,
} from './conversions.js';
import { changeStatus, changeSubscription, subscribe, unsubscribe } from './endpoints.js';
import { redeliver, replay } from './replays.js';
import { changeRun, createRun } from './payout-runs.js';
import { changePayout, createPayout, createPayoutsWithOneKey, returnPayout } from './payouts.js';

const writeActions = {
  createWithTransactionId,
  createWithKey,
  createTwiceConcurrently,
  repeatCreate,
  repeatWithOtherAmount,
  changeConversion,
  createAdjustment,
  createAdjustmentTwice,
  changeAdjustment,
  createPayout,
  createPayoutsWithOneKey,
  changePayout,
  returnPayout,
  createRun,
  changeRun,
  createAffiliate,
  raceForEmail,
  changeAffiliate,
  deleteAffiliate,
  subscribe,
  unsubscribe,
  changeSubscription,
  changeStatus,
  replay,
  redeliver,
} as const satisfies Record<string, WriteAction>;

/** How often a writer performs each action, as weights. */
type Mix = Readonly<Record<keyof typeof writeActions, number>>;

const mix: Mix = {
  createWithTransactionId: 24,
  createWithKey: 8,
  createTwiceConcurrently: 4,
  repeatCreate: 10,
  repeatWithOtherAmount: 4,
  changeConversion: 24,
  createAdjustment: 12,
  createAdjustmentTwice: 3,
  changeAdjustment: 6,
  createPayout: 10,
  createPayoutsWithOneKey: 2,
  changePayout: 10,
  returnPayout: 3,
  createRun: 2,
  changeRun: 3,
  createAffiliate: 6,
  raceForEmail: 3,
  changeAffiliate: 10,
  deleteAffiliate: 3,
  subscribe: 3,
  unsubscribe: 2,
  changeSubscription: 2,
  changeStatus: 3,
  replay: 1,
  redeliver: 2,
};

/** All writes but payouts and runs, on which the service continues to work after the response. */
export const withoutPayouts: Mix = {
  ...mix,
  createPayout: 0,
  createPayoutsWithOneKey: 0,
  changePayout: 0,
  returnPayout: 0,
  createRun: 0,
  changeRun: 0,
};

export interface Writers {
  /** Resolves once every writer has ended, each after the response that it waits for. */
  stop(): Promise<void>;
}

/**
 * Starts concurrent writers, each with its own random choices, until they are stopped or the
 * service does not respond. They first settle what an earlier round left unknown.
 */
export const startWriters = (writing: Writing, count: number, weights = mix): Writers => {
  let running = true;
  const all = Array.from({ length: count }, async (_, index) => {
    const own = { ...writing, random: writing.random.fork(`writer ${index}`) };
    while (running) {
      const outcome = await (clearUp(own) ?? writeActions[own.random.weighted(weights)](own));
      if (outcome?.report === 'unknown') return;
      await sleep(own.random.intBelow(15));
    }
  });
  return {
    stop: async () => {
      running = false;
      await Promise.all(all);
    },
  };
};

/** Sends one create of unknown outcome again; undefined when there is none. */
export const clearUp = (writing: Writing): ReturnType<WriteAction> | undefined => {
  const unsettled = writing.known.unsettled.shift();
  return unsettled && create(writing, { ...unsettled.intent, retryOf: unsettled.n });
};
