import { Problem } from '@offhook/contract/problem.ts'
import type { Line } from '../../core/ports/line.ts'

const missing = (what: string) => async (): Promise<never> => {
  throw new Problem('line_unavailable', `This installation has no ${what}.`)
}

/** For an installation that is connected to no telephone network. */
export const noLine = (): Line => ({
  startCall: missing('SIP line that could carry a call'),
  sendFax: missing('line that could carry a fax'),
  sendSms: missing('message centre that could take an SMS'),
})
