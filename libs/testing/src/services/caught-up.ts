import { ApiClient } from '../clients/api-client.js';
import { expectStatus } from '../clients/test-account.js';
import { uniqueText } from '../builders.js';
import { eventually } from '../wait.js';
import type { Service } from '../service.js';
import type { ServiceRole } from './service-process.js';

/** A process with health and metrics. */
interface ObservedRole {
  readonly role: ServiceRole;
  readonly opsUrl: string;
}

const ofLedger = ['posting', 'runs', 'paid-status', 'erasures'];
const processorsOf: Readonly<Record<ServiceRole, readonly string[]>> = {
  gateway: [],
  projector: ['projector'],
  ledger: ofLedger,
  relay: ['relay'],
  'webhook-dispatcher': ['webhook-dispatcher'],
  standalone: ['projector', ...ofLedger, 'webhook-dispatcher'],
};

/**
 * Resolves once every event processor of these roles has handled everything that was in the log
 * when this was called. It writes an event of its own, since its position is the end of the log.
 */
export const processorsCaughtUp = async (
  service: Pick<Service, 'baseUrl' | 'adminKey'>,
  roles: readonly ObservedRole[],
): Promise<void> => {
  const end = await writtenPosition(service);
  await eventually(
    async () => {
      const reached = new Map<string, number>();
      for (const { opsUrl } of roles)
        for (const [processor, position] of await positionsAt(opsUrl))
          reached.set(processor, Math.max(position, reached.get(processor) ?? 0));
      const behind = roles
        .flatMap(({ role }) => processorsOf[role])
        .filter((processor) => (reached.get(processor) ?? -1) < end);
      if (behind.length > 0)
        throw new Error(
          `${behind.join(', ')} has not reached position ${end}, but ${JSON.stringify([...reached])}`,
        );
    },
    { timeoutMs: 60_000, intervalMs: 5 },
  );
};

const writtenPosition = async (service: Pick<Service, 'baseUrl' | 'adminKey'>): Promise<number> => {
  const operator = await ApiClient.connect(service, service.adminKey);
  const response = await operator.post('/v1/accounts', { name: uniqueText('end') });
  expectStatus(201, response);
  return Number(response.header('refledger-position'));
};

const positionsAt = async (opsUrl: string): Promise<[processor: string, position: number][]> => {
  const text = await (await fetch(`${opsUrl}/metrics`)).text();
  return [...text.matchAll(/^refledger_processor_position\{processor="(.+)"\} (\S+)$/gm)].map(
    ([, processor = '', position]) => [processor, Number(position)],
  );
};
