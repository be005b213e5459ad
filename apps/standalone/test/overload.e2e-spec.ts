import { readFileSync } from 'node:fs';
import { noRateLimitSettings, overloadSuite, sharedService, startStandalone, type Service } from '@refledger/testing';

const pids = new Map<Service, number | undefined>();
const service = sharedService(async () => {
  const started = await startStandalone({ env: { ...noRateLimitSettings, LOG_LEVEL: 'warn' } });
  pids.set(started, started.pid);
  return started;
});

/** Known on Linux only. */
const residentBytes = (running: Service): number | undefined => {
  const pid = pids.get(running);
  if (process.platform !== 'linux' || pid === undefined) return undefined;
  return 1024 * Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
};

overloadSuite(service, residentBytes);
