import { constants, setPriority } from 'node:os';
import type { AttackPlan, AttackReport } from './attacker.js';
import { attacks } from './attacks.js';
import { Connections } from './connections.js';
import { runOpenLoop } from './open-loop.js';

// A real attacker has its own machine, so its CPU use here must not count as the service's.
setPriority(constants.priority.PRIORITY_LOW);
// Decoding boundary: `Attacker` has written it.
const { attack, baseUrl, seeded } = JSON.parse(process.argv[2] ?? '') as AttackPlan;
const chosen = attacks[attack];
const { perSecond } = chosen;
const open = new Connections(baseUrl, chosen.connections);
const send = chosen.sender(seeded, (n, request) => open.send(n, request), baseUrl);
let sent = 0;

const round = async (forMs: number): Promise<AttackReport> => {
  const responses: Record<number, number> = {};
  const errors: string[] = [];
  const one = async (): Promise<void> => {
    const status = await send(sent++);
    responses[status] = (responses[status] ?? 0) + 1;
  };
  await runOpenLoop({
    perSecond,
    count: (perSecond * forMs) / 1_000,
    send: () => one().catch((error: unknown) => void errors.push(String(error))),
  });
  return { responses, errors };
};

process.on('message', ({ forMs }: { readonly forMs: number }) => {
  void round(forMs).then((report) => process.send?.(report));
});
process.on('disconnect', () => process.exit());
