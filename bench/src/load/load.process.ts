import { answerParent } from '../process/child.js';
import type { LoadPlan, LoadReport } from './load-plan.js';
import { runLoad } from './run-load.js';

answerParent<LoadPlan, LoadReport>(runLoad);
