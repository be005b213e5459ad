import { join } from 'node:path';
import {
  adjustmentBody,
  startStandalone,
  type MovableClock,
  type StandaloneService,
} from '@refledger/testing';
import { removeDatabase } from '../copies.js';
import { readinessOf } from '../opened.js';
import { runOps } from '../run-ops.js';
import type { Recording } from './recording.js';

/** How the recorded service is started. */
export interface ServiceSettings {
  readonly clock: MovableClock;
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Starts a service that has lost its deliveries, and whose directory was restored from a backup: the
 * log has the operator's decisions.
 */
export const startRestored = async (
  directory: string,
  { env }: ServiceSettings,
): Promise<StandaloneService> => {
  const [original, restored] = [join(directory, 'original'), join(directory, 'restored')];
  const first = await startStandalone({ dataDir: original, env });
  await first.stop();
  await removeDatabase(original, 'deliveries');
  const service = await startStandalone({ dataDir: original, env });
  try {
    await readinessOf(service);
    await decide(['resume', 'webhook-dispatcher', '--from', 'head'], original, env);
    await decide(['backup', restored], original, env);
  } finally {
    await service.stop();
  }
  await decide(['restored'], restored, env);
  return startStandalone({ dataDir: restored, env });
};

/** Records the decisions of operators that need no stop: they change nothing that a client sees. */
export const recordDecisions = async (
  { account, service }: Recording,
  { env }: ServiceSettings,
): Promise<void> => {
  const { dataDir } = service;
  const { id } = await account.affiliate({ email: 'gus@example.com', name: 'Gus' });
  const bonus = await account.api.post('/v1/adjustments', adjustmentBody(id));
  const position = bonus.header('refledger-position') ?? '';
  await decide(['ignore-time', position, '--yes', '--force'], dataDir, env);
  await decide(['skip', 'relay', position, '--force'], dataDir, env);
  await decide(['rebuild', 'programs'], dataDir, env);
};

/** Wraps the keys of personal data again, and returns the service with the new SECRETS_KEY. */
export const rotateSecretsKey = async (
  service: StandaloneService,
  secretsKey: string,
  { env }: ServiceSettings,
): Promise<StandaloneService> => {
  const rotated = { ...env, SECRETS_KEY: secretsKey, BOOTSTRAP_API_KEY: service.adminKey };
  const { dataDir } = service;
  await service.stop();
  const restarted = await startStandalone({ dataDir, env: rotated });
  await decide(['keys', 'rewrap'], dataDir, rotated);
  return restarted;
};

const decide = async (
  args: readonly string[],
  dataDir: string,
  env: Readonly<Record<string, string>>,
): Promise<void> => {
  const { code, printed } = await runOps(args, { ...env, DATA_DIR: dataDir });
  if (code !== 0) throw new Error(`ops ${args.join(' ')} ended with ${code}: ${printed}`);
};
