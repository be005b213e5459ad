import type { CommandHandler, ThrottledReads } from '@refledger/application';
import { streams } from '@refledger/contracts';
import { processorDecider } from '@refledger/domain';
import type { EventLog } from '@refledger/event-log';
import type { PersonalData } from '@refledger/personal-data';
import type { BodySource, RemadeDelivery } from '@refledger/queries';
import { BodyMaker, dispatcherName } from '@refledger/webhook-endpoints';

export interface RemadeBodiesParts {
  readonly log: Pick<EventLog, 'eventAt' | 'readStream'>;
  readonly commands: Pick<CommandHandler, 'load'>;
  readonly throttledReads: Pick<ThrottledReads, 'batches'>;
  readonly personalData: Pick<PersonalData, 'openRecords'>;
}

/** Makes bodies of deliveries from the log, without the events that the dispatcher skips. */
export class RemadeBodies implements BodySource {
  constructor(private readonly parts: RemadeBodiesParts) {}

  async make(delivery: RemadeDelivery): Promise<string | null> {
    const { log, commands, throttledReads, personalData } = this.parts;
    const { state } = await commands.load(processorDecider, streams.processor(dispatcherName));
    const maker = new BodyMaker({
      log: {
        eventAt: (position) => log.eventAt(position),
        readStream: (...range) => throttledReads.batches(log.readStream(...range)),
      },
      personalData,
      isSkipped: (eventId) => state.skipped.has(eventId),
    });
    return maker.make(delivery);
  }
}
