import { Module } from '@nestjs/common';
import {
  CommandHandler,
  Consistency,
  PositionsAtTimes,
  ThrottledReads,
} from '@refledger/application';
import { PersonalData } from '@refledger/personal-data';
import { projectorName } from '@refledger/projections';
import { EventFeed, ReadModels } from '@refledger/queries';
import { provideBy } from '../provide.js';
import { eventLogToken } from '../tokens.js';
import { RemadeBodies } from '../webhooks/remade-bodies.js';
import { EventsController } from './events.controller.js';

@Module({
  controllers: [EventsController],
  providers: [
    provideBy(
      EventFeed,
      {
        log: eventLogToken,
        commands: CommandHandler,
        consistency: Consistency,
        readModels: ReadModels,
        throttledReads: ThrottledReads,
        times: PositionsAtTimes,
        personalData: PersonalData,
      },
      // what the projector skips is not in the index either
      ({ personalData, ...parts }) =>
        new EventFeed({
          ...parts,
          bodies: new RemadeBodies({ ...parts, personalData }, projectorName),
        }),
    ),
  ],
})
export class EventsModule {}
