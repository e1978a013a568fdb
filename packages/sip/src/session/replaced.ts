import { parseReplaces } from '../grammar/headers.ts'
import type { Request } from '../message/message.ts'
import type { Session } from './session.ts'
import { SipError } from '../grammar/sip-error.ts'
import type { SessionStack } from './session-stack.ts'

/** The session whose place an INVITE wants to take: RFC 3891 §3. Throws SipError with the answer when it cannot. */
export const findReplaced = (stack: SessionStack, request: Request): Session | undefined => {
  const value = request.header('replaces')
  if (value === undefined) return undefined
  const { callId, toTag, fromTag, earlyOnly } = parseReplaces(value)
  const session = stack.find(callId, toTag, fromTag)
  if (!session) throw new SipError(481, 'There is no such dialog')
  if (session.state === 'ended') throw new SipError(603, 'That dialog is over')
  if (session.state === 'confirmed') {
    if (earlyOnly) throw new SipError(486, 'That dialog is confirmed')
    return session
  }
  // A call that rings at us cannot be taken over.
  if (session.direction === 'incoming') throw new SipError(481, 'That dialog is not one of ours to give away')
  return session
}
