import type { FaxOutcome } from './engine.ts'
import type { FaxSettings } from './fax-run.ts'
import type { FaxJob } from './t30.ts'

/** To a process of faxes. */
export type FaxCommand =
  | { do: 'open'; fax: number; address: string; port: number; calling: boolean }
  | { do: 'configure'; fax: number; settings: FaxSettings }
  | { do: 'start'; fax: number; job: FaxJob }
  | { do: 'close'; fax: number }
  | { do: 'watch' }

/** From it. */
export type FaxEvent =
  | { tell: 'ready' }
  | { tell: 'unavailable'; why: string }
  /** Not when the port belongs to another program. */
  | { tell: 'opened'; fax: number; opened: boolean }
  | { tell: 'settled'; fax: number }
  /** `failure`: a fault of ours. */
  | { tell: 'closed'; fax: number; failure?: string }
  | { tell: 'page'; fax: number; pages: number }
  | { tell: 'done'; fax: number; outcome: FaxOutcome }
  | { tell: 'alive' }
