import type { ErrorCode } from '@offhook/contract/errors.ts'
import { Problem } from '@offhook/contract/problem.ts'
import type { SessionDeps } from '#core/money/paid-order.ts'
import type { Program } from '#core/messages/sms/programs/program-login.ts'
import { submitFromProgram, type ProgramInput } from '#core/messages/orders/program-submit.ts'
import type { MessageReply } from '@offhook/smpp/session/session-options.ts'
import { type MessageRequest, type SmppAddress, readTime } from '@offhook/smpp/pdu/pdu.ts'
import { status } from '@offhook/smpp/pdu/status.ts'
import { readUserData } from '@offhook/smpp/message/user-data.ts'

/** Turns a program's submit_sm into a message of its extension. Throws internal errors; everything else is a status. */
export const takeSubmit = async (deps: SessionDeps, program: Program, request: MessageRequest): Promise<MessageReply> => {
  const { text, of, port } = readUserData(request, 'gsm')
  if (text === undefined || port !== undefined) return { status: status.invalidDataCoding }
  const sendAt = request.scheduleTime === '' ? undefined : readTime(request.scheduleTime, deps.clock.now())
  if (request.scheduleTime !== '' && sendAt === undefined) return { status: status.invalidSchedule }
  const input: ProgramInput = {
    sender: written(request.source),
    recipient: written(request.destination),
    text,
    receipt: receiptRequest(request.registeredDelivery),
    ...(of && { of }),
    ...(sendAt !== undefined && { sendAt: Math.ceil(sendAt / 1000) }),
  }
  try {
    return { status: status.ok, messageId: await submitFromProgram(deps, program, input) }
  } catch (error) {
    if (error instanceof Problem) return { status: statusOf(error) }
    throw error
  }
}

/** International numbers come without their plus; others are read in the account's country. */
const written = ({ ton, value }: SmppAddress): string => (ton === 1 && /^\d/.test(value) ? `+${value}` : value)

/** The lowest two bits (SMPP 3.4 §5.2.17); the others request unsupported features. */
const receiptRequest = (registeredDelivery: number): ProgramInput['receipt'] => {
  const outcome = registeredDelivery & 0x03
  if (outcome === 0) return 'never'
  return outcome === 2 ? 'failure' : 'always'
}

const statuses: Partial<Record<ErrorCode, number>> = {
  number_invalid: status.invalidDestination,
  destination_blocked: status.invalidDestination,
  destination_closed: status.invalidDestination,
  sms_sender_missing: status.invalidSource,
  sms_sender_not_verified: status.invalidSource,
  rate_limited: status.throttled,
  line_unavailable: status.systemError,
  unavailable: status.systemError,
  forbidden: status.prohibited,
  feature_not_booked: status.prohibited,
}

const fieldStatuses: Record<string, number> = { message: status.invalidMessageLength, sendAt: status.invalidSchedule }

const statusOf = ({ code, details = [] }: Problem): number =>
  statuses[code] ?? fieldStatuses[details[0]?.field ?? ''] ?? status.submitFailed
