import type { Attack } from './attack.js';
import type { AttackReport } from './attacker.js';
import type { Seen } from './bystander.js';
import { compareP99, type P99Comparison } from './p99.js';

/** The clients of a measurement. Each runs for `forMs` milliseconds. */
export interface Parties {
  readonly watch: (forMs: number) => Promise<Seen>;
  readonly attack: (forMs: number) => Promise<AttackReport>;
  /** The same attack on a bare server beside the service. */
  readonly attackDecoy: (forMs: number) => Promise<AttackReport>;
}

/** The bystander's latencies, alone and during an attack. */
export interface SideBySide {
  readonly reads: P99Comparison;
  readonly writes: P99Comparison;
}

const rounds = 3;
const roundMs = 3_000;
/**
 * Milliseconds that a request may take on two cores that also do other work. A lower latency counts
 * as this one. A write also waits for the disk.
 */
const floorMs: Readonly<Record<keyof Seen, number>> = { reads: 10, writes: 20 };

/**
 * Measures alternately what a client sees alone and during an attack, so that the machine is
 * equally busy in both. Throws when a response to the attack has an unexpected status or is
 * missing.
 */
export const measureSideBySide = async (
  attack: Attack,
  { watch, attack: begin, attackDecoy }: Parties,
): Promise<SideBySide> => {
  const [alone, beside]: [Seen[], Seen[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    const [undisturbed] = await Promise.all([watch(roundMs), attackDecoy(roundMs)]);
    alone.push(undisturbed);
    const [seen, report] = await Promise.all([watch(roundMs), begin(roundMs)]);
    beside.push(seen);
    checkAttack(attack, report);
  }
  const compare = (kind: keyof Seen): P99Comparison =>
    compareP99(
      alone.map((seen) => seen[kind]),
      beside.map((seen) => seen[kind]),
      floorMs[kind],
    );
  return { reads: compare('reads'), writes: compare('writes') };
};

const checkAttack = (attack: Attack, { responses, errors }: AttackReport): void => {
  const statuses = Object.keys(responses).map(Number);
  if (statuses.every((status) => attack.responses.includes(status)) && errors.length === 0) return;
  const [first = ''] = errors;
  throw new Error(
    `${attack.name} got the responses ${JSON.stringify(responses)}, and ${errors.length} of its ` +
      `requests got none (${first}). Every response must be ${attack.responses.join(' or ')}.`,
  );
};
