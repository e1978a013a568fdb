import { Problem } from '@offhook/contract/problem.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { SmsParts } from '../state/sms-parts.ts'

/** Returns whether the number is local. If not, requires a route to other networks. */
export const requireRoute = async (tables: Tables, { routes }: Pick<SmsParts, 'routes'>, recipient: string): Promise<boolean> => {
  const here = (await tables.numbers.findCallable(recipient)) !== undefined
  if (!here && routes.length === 0)
    throw new Problem(
      'line_unavailable',
      'Only numbers that are in service here get messages: this installation has no message centre (OFFHOOK_SMPP_URL or OFFHOOK_SMS_GATEWAY_URL).',
    )
  return here
}
