import type { CallOrder, Line } from '../../core/ports/line.ts'
import { noLine } from './no-line.ts'

/** Calls are carried by the switchboard; faxes and messages not yet. */
export const telephoneLine = (startCall: (order: CallOrder) => Promise<void>): Line => ({ ...noLine(), startCall })
