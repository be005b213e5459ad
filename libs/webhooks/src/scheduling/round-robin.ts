import type { EndpointId } from '@refledger/contracts';

/** Groups take turns, and so do the endpoints within each group: those that came first go first. */
export class RoundRobin {
  /** The endpoints that wait, per group; groups in the order of their turns. */
  private readonly groups = new Map<string, Set<EndpointId>>();
  private readonly groupOf = new Map<EndpointId, string>();

  get isEmpty(): boolean {
    return this.groups.size === 0;
  }

  /** Adds an endpoint that does not wait yet, as the last of its group. */
  join(endpoint: EndpointId, group: string): void {
    this.groupOf.set(endpoint, group);
    const waiting = this.groups.get(group);
    if (waiting === undefined) this.groups.set(group, new Set([endpoint]));
    else waiting.add(endpoint);
  }

  leave(endpoint: EndpointId): void {
    const group = this.groupOf.get(endpoint);
    if (group === undefined) return;
    this.groupOf.delete(endpoint);
    const waiting = this.groups.get(group);
    waiting?.delete(endpoint);
    if (waiting?.size === 0) this.groups.delete(group);
  }

  /** Removes and returns the endpoint whose turn it is. The next turn is another group's. */
  next(): EndpointId | undefined {
    const [first] = this.groups;
    if (first === undefined) return undefined;
    const [group, waiting] = first;
    const [endpoint] = waiting;
    if (endpoint === undefined) return undefined;
    this.leave(endpoint);
    if (this.groups.delete(group)) this.groups.set(group, waiting);
    return endpoint;
  }
}
