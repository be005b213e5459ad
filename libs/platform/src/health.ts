/** Whether one part of the service can do its work, and if not, why. */
export interface PartHealth {
  readonly part: string;
  readonly ready: boolean;
  readonly detail: string;
}

/** Keeps what the parts last said of themselves. A part that has said nothing yet is not ready. */
export class Health {
  private readonly parts = new Map<string, PartHealth>();

  constructor(expected: readonly string[]) {
    for (const part of expected) this.parts.set(part, { part, ready: false, detail: 'starting' });
  }

  say(health: PartHealth): void {
    this.parts.set(health.part, health);
  }

  report(): { readonly ready: boolean; readonly parts: readonly PartHealth[] } {
    const parts = [...this.parts.values()];
    return { ready: parts.every((part) => part.ready), parts };
  }
}
