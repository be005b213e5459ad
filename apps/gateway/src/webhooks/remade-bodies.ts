import type { CommandHandler, ThrottledReads } from '@refledger/application';
import { streams, type EventId } from '@refledger/contracts';
import { processorDecider } from '@refledger/domain';
import type { EventLog, LoggedEvent } from '@refledger/event-log';
import type { PersonalData } from '@refledger/personal-data';
import type { BodySource, EventBodies, RemadeDelivery } from '@refledger/queries';
import { BodyMaker } from '@refledger/webhook-endpoints';

export interface RemadeBodiesParts {
  readonly log: Pick<EventLog, 'eventAt' | 'readStream'>;
  readonly commands: Pick<CommandHandler, 'load'>;
  readonly throttledReads: Pick<ThrottledReads, 'batches'>;
  readonly personalData: Pick<PersonalData, 'openRecords'>;
}

/** Makes bodies from the log, without the events that a processor skips. */
export class RemadeBodies implements BodySource, EventBodies {
  private current: { readonly skipped: string; readonly maker: BodyMaker } | undefined;

  constructor(
    private readonly parts: RemadeBodiesParts,
    private readonly processor: string,
  ) {}

  async make(delivery: RemadeDelivery): Promise<string | null> {
    return (await this.maker()).make(delivery);
  }

  async makeAll(events: readonly LoggedEvent[]): ReturnType<EventBodies['makeAll']> {
    return (await this.maker()).makeAll(events);
  }

  /** A maker keeps states, which are without the events that were skipped when it began. */
  private async maker(): Promise<BodyMaker> {
    const { commands } = this.parts;
    const { state } = await commands.load(processorDecider, streams.processor(this.processor));
    const skipped = [...state.skipped].join();
    if (this.current?.skipped !== skipped)
      this.current = { skipped, maker: this.makerWithout(state.skipped) };
    return this.current.maker;
  }

  private makerWithout(skipped: ReadonlySet<EventId>): BodyMaker {
    const { log, throttledReads, personalData } = this.parts;
    return new BodyMaker({
      log: {
        eventAt: (position) => log.eventAt(position),
        readStream: (...range) => throttledReads.batches(log.readStream(...range)),
      },
      personalData,
      isSkipped: (eventId) => skipped.has(eventId),
    });
  }
}
