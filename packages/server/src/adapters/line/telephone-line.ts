import type { CallOrder, Line } from '../../core/ports/line.ts'
import { noLine } from './no-line.ts'

/** Assistants call people; everything else that a line can be asked for is not there yet. */
export const telephoneLine = (startFlowCall: (order: CallOrder) => Promise<void>): Line => {
  const missing = noLine()
  return { ...missing, startCall: (order) => (order.caller.kind === 'flow' ? startFlowCall(order) : missing.startCall(order)) }
}
