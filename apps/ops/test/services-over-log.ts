import { freePort, RoleProcess } from '@refledger/testing';

/**
 * Starts gateway, projector, ledger and webhook-dispatcher as separate services, with the log as
 * the bus. Resolves once they are ready.
 */
export const startServices = async (
  settings: Readonly<Record<string, string>>,
): Promise<{ readonly baseUrl: string; stop(): Promise<void> }> => {
  const port = await freePort();
  const env = { ...settings, EVENT_BUS_URL: 'log:', HOST: '127.0.0.1', PORT: String(port) };
  const roles: RoleProcess[] = [];
  for (const role of ['gateway', 'projector', 'ledger', 'webhook-dispatcher'] as const)
    roles.push(new RoleProcess(role, { ...env, OPS_PORT: String(await freePort()) }));
  try {
    for (const role of roles) await role.begun();
    for (const role of roles) await role.ready();
  } catch (error) {
    await Promise.all(roles.map((role) => role.end('SIGKILL')));
    throw error;
  }
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    stop: async () => void (await Promise.all(roles.map((role) => role.end('SIGTERM')))),
  };
};
