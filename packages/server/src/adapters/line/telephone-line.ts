import { Problem } from '@offhook/contract/problem.ts'
import type { CallOrder, Line } from '../../core/ports/line.ts'

const missing = (what: string) => async (): Promise<never> => {
  throw new Problem('line_unavailable', `This installation has no ${what}.`)
}

/** Calls are carried by the switchboard; faxes and messages not yet. */
export const telephoneLine = (startCall: (order: CallOrder) => Promise<void>): Line => ({
  startCall,
  sendFax: missing('line that could carry a fax'),
  sendSms: missing('message centre that could take an SMS'),
})
