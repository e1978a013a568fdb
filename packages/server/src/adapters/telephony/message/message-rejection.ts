import type { ErrorCode } from '@offhook/contract/errors.ts'
import { Problem } from '@offhook/contract/problem.ts'
import { StoreUnavailable } from '#core/kernel/ports/store/index.ts'
import type { SipRejection } from '@offhook/sip/user-agent/request-checks.ts'
import { quote } from '@offhook/sip/grammar/scan.ts'
import { SipError } from '@offhook/sip/grammar/sip-error.ts'

const warningAgent = '399 offhook'

/** People with a display see why. */
const warning = (text: string): readonly [string, string] => ['Warning', `${warningAgent} ${quote(text)}`]

export const tooMany = (status: number, waitSeconds: number): SipRejection => ({
  status,
  headers: [['Retry-After', String(waitSeconds)], warning('Too many messages')],
})

/** The answer to a message that could not be taken; what is a fault of ours is told there. */
export const rejectionOf = (error: unknown, onError: (error: unknown) => void): SipRejection => {
  if (error instanceof SipError) return { status: error.status, headers: [] }
  if (error instanceof Problem) return { status: statusOf(error), headers: [warning(error.message)] }
  onError(error)
  return error instanceof StoreUnavailable ? { status: 503, headers: [['Retry-After', '5']] } : { status: 500, headers: [] }
}

/** Only an unknown recipient is 404: a missing sender says nothing about the recipient. */
const statuses: Partial<Record<ErrorCode, number>> = { callee_invalid: 404, number_invalid: 404, sms_not_found: 403 }

/** 503 would make phones believe that this server is out of order. */
const statusOf = ({ status, code }: Problem): number => statuses[code] ?? (status < 500 ? status : 480)
