import { runOps, type OpsResult } from './run-ops.js';

/** The subjects that `ops verify` can check besides read models. */
export type Verifiable = 'ledger' | 'webhooks';

/** Everything that `ops verify` can check. */
export const allVerifiable = ['read models', 'ledger', 'webhooks'] as const;

/** Its output. */
export type Verification = OpsResult;

/** Runs the built `ops verify` with these settings. */
export const verify = (
  what: (typeof allVerifiable)[number],
  settings: Readonly<Record<string, string>>,
): Promise<Verification> =>
  runOps(what === 'read models' ? ['verify'] : ['verify', `--${what}`], settings);
