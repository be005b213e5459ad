import type { EndpointId } from '@refledger/contracts';
import { paceOf, paces } from './paces.js';

export interface LaneLimits {
  /** Most requests under way to one endpoint. */
  readonly perEndpoint: number;
  /**
   * Slots in all, shared out among the paces. What is under way when its endpoint turns slow goes over to the slower pace, also beyond that
   * pace's slots: so for as long as those requests last there may be more, at most twice as many. While there are more, an endpoint gets no
   * second request, so that it takes as many hanging endpoints as this to keep others waiting.
   */
  readonly inAll: number;
}

/** Ends a request: when, and whether it was answered; undefined when nothing was sent, which shows nothing. */
export type EndRequest = (now: number, answered: boolean | undefined) => void;

/**
 * How many requests may be under way. Each endpoint has a lane of its own: one wide until it has answered, and again while it doesn't. And it
 * takes its slots from its pace, which is that of its last request, or of its oldest one under way when that is slower: one that hangs gives its
 * quick slots back while it hangs. So a quick slot is never held for longer than a quick answer takes, whoever holds it.
 */
export class Lanes {
  private readonly lanes = new Map<EndpointId, Lane>();
  private readonly used = paces.map(() => 0);
  private readonly sizes: readonly number[];
  /** Requests by the pace that their age has come to, oldest first. */
  private readonly ages = paces.map(() => new Set<Request>());

  constructor(private readonly limits: LaneLimits) {
    this.sizes = paces.map(({ share }) => Math.max(1, Math.floor(limits.inAll * share)));
  }

  /** How many endpoints something is kept of. */
  get size(): number {
    return this.lanes.size;
  }

  get inUse(): number {
    return this.used.reduce((sum, count) => sum + count, 0);
  }

  pace(endpoint: EndpointId): number {
    return this.lanes.get(endpoint)?.pace ?? 0;
  }

  /** Whether this pace has a slot free. */
  hasSlot(pace: number): boolean {
    return (this.used[pace] ?? 0) < (this.sizes[pace] ?? 0) && this.inUse < 2 * this.limits.inAll;
  }

  /** Whether the endpoint's own lane has room. */
  hasRoom(endpoint: EndpointId): boolean {
    const lane = this.lanes.get(endpoint);
    return (
      lane === undefined ||
      lane.slots.size <
        (lane.answers && this.inUse <= this.limits.inAll ? this.limits.perEndpoint : 1)
    );
  }

  /** How many deliveries may be taken beyond those under way, so that the next is at hand: none for one that doesn't answer, or late. */
  ahead(endpoint: EndpointId): number {
    const lane = this.lanes.get(endpoint);
    return lane?.answers === true ? (paces[lane.pace]?.ahead ?? 0) * this.limits.perEndpoint : 0;
  }

  /** Takes a slot, for a request that `begin` begins or `release` gives up. */
  take(endpoint: EndpointId): void {
    const lane = this.laneOf(endpoint);
    const slot: Slot = { pace: lane.pace };
    lane.slots.add(slot);
    lane.idle.push(slot);
    this.count(lane.pace, 1);
  }

  release(endpoint: EndpointId): void {
    const lane = this.laneOf(endpoint);
    const slot = lane.idle.pop();
    if (slot !== undefined) this.free(lane, slot);
    this.dropUnused(endpoint, lane);
  }

  /** The endpoint is there no more: nothing of it is kept once its requests have ended. */
  forget(endpoint: EndpointId): void {
    const lane = this.lanes.get(endpoint);
    if (lane === undefined) return;
    lane.isForgotten = true;
    this.dropUnused(endpoint, lane);
  }

  /** Begins a request, on a slot that was taken for it. */
  begin(endpoint: EndpointId, now: number): EndRequest {
    const lane = this.laneOf(endpoint);
    const slot = lane.idle.pop();
    if (slot === undefined) throw new Error('a request needs a slot');
    const request: Request = { lane, endpoint, since: now, age: 0 };
    lane.underway.add(request);
    this.ages[0]?.add(request);
    return (end, answered) => this.end(request, slot, end, answered);
  }

  /** Turns the endpoints slower whose requests have been under way for so long by now, and answers them. */
  age(now: number): ReadonlySet<EndpointId> {
    const turned = new Set<EndpointId>();
    for (const [age, { underMs }] of paces.entries()) {
      for (const request of this.ages[age] ?? []) {
        if (now - request.since < underMs) break;
        this.ages[age]?.delete(request);
        request.age = age + 1;
        this.ages[request.age]?.add(request);
        if (request.lane.pace >= request.age) continue;
        this.turn(request.lane, request.age);
        turned.add(request.endpoint);
      }
    }
    return turned;
  }

  /** In how many milliseconds the next request comes of age, if it is under way for so long. */
  nextAge(now: number): number | undefined {
    const next = Math.min(
      ...this.ages.map(([oldest], age) =>
        oldest === undefined ? Infinity : oldest.since + (paces[age]?.underMs ?? Infinity),
      ),
    );
    return next === Infinity ? undefined : Math.max(0, next - now);
  }

  private end(request: Request, slot: Slot, now: number, answered: boolean | undefined): void {
    const { lane } = request;
    lane.underway.delete(request);
    this.ages[request.age]?.delete(request);
    this.free(lane, slot);
    if (answered !== undefined) {
      lane.answers = answered;
      const [oldest] = lane.underway;
      this.turn(lane, Math.max(paceOf(now - request.since), oldest?.age ?? 0));
    }
    this.dropUnused(request.endpoint, lane);
  }

  /** A lane that says no more than a new one would is not kept either. */
  private dropUnused(endpoint: EndpointId, lane: Lane): void {
    const saysNothing = lane.pace === 0 && !lane.answers;
    if (lane.slots.size === 0 && (saysNothing || lane.isForgotten)) this.lanes.delete(endpoint);
  }

  private laneOf(endpoint: EndpointId): Lane {
    const known = this.lanes.get(endpoint);
    if (known !== undefined) return known;
    const lane: Lane = {
      pace: 0,
      answers: false,
      slots: new Set(),
      idle: [],
      underway: new Set(),
      isForgotten: false,
    };
    this.lanes.set(endpoint, lane);
    return lane;
  }

  /** Slots go over to a slower pace, never to a quicker one: there each must have been free. */
  private turn(lane: Lane, pace: number): void {
    lane.pace = pace;
    for (const slot of lane.slots) {
      if (slot.pace >= pace) continue;
      this.count(slot.pace, -1);
      this.count(pace, 1);
      slot.pace = pace;
    }
  }

  private free(lane: Lane, slot: Slot): void {
    lane.slots.delete(slot);
    this.count(slot.pace, -1);
  }

  private count(pace: number, by: number): void {
    this.used[pace] = (this.used[pace] ?? 0) + by;
  }
}

interface Slot {
  pace: number;
}

interface Request {
  readonly endpoint: EndpointId;
  readonly lane: Lane;
  /** Milliseconds since 1970. */
  readonly since: number;
  /** The pace that it has come to by now. */
  age: number;
}

interface Lane {
  pace: number;
  answers: boolean;
  readonly slots: Set<Slot>;
  /** Slots that are taken for requests to come. */
  readonly idle: Slot[];
  /** Oldest first. */
  readonly underway: Set<Request>;
  isForgotten: boolean;
}
