import { RoleProcess } from '@refledger/testing';

/**
 * Starts gateway, projector, ledger and webhook-dispatcher as separate services, with the log as
 * the bus. Resolves once they are ready.
 */
export const startServices = async (
  settings: Readonly<Record<string, string>>,
): Promise<{ readonly baseUrl: string; stop(): Promise<void> }> => {
  const run = (role: RoleProcess['role']): RoleProcess =>
    new RoleProcess(role, { ...settings, EVENT_BUS_URL: 'log:' });
  const gateway = run('gateway');
  const roles = [gateway, run('projector'), run('ledger'), run('webhook-dispatcher')];
  try {
    for (const role of roles) await role.whenRunning();
    for (const role of roles) await role.ready();
  } catch (error) {
    await Promise.all(roles.map((role) => role.end('SIGKILL')));
    throw error;
  }
  return {
    baseUrl: gateway.baseUrl,
    stop: async () => void (await Promise.all(roles.map((role) => role.end('SIGTERM')))),
  };
};
