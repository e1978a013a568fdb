import { parseReplaces, type Replaces } from '../grammar/headers.ts'
import type { Request } from '../message/message.ts'
import type { Session } from './session.ts'
import { SipError } from '../grammar/sip-error.ts'
import type { SessionStack } from './session-stack.ts'

/** The session whose place an INVITE wants to take, or a dialog that is none of ours. */
export interface Replaced {
  session?: Session
  unknown?: Replaces
}

/** RFC 3891 §3. Throws SipError with the answer when the session is here and its place cannot be taken. */
export const findReplaced = (stack: SessionStack, request: Request): Replaced => {
  const value = request.header('replaces')
  if (value === undefined) return {}
  const replaces = parseReplaces(value)
  const session = stack.find(replaces.callId, replaces.toTag, replaces.fromTag)
  if (!session) return { unknown: replaces }
  requireReplaceable(session, replaces)
  return { session }
}

const requireReplaceable = (session: Session, { earlyOnly }: Replaces): void => {
  if (session.state === 'ended') throw new SipError(603, 'That dialog is over')
  if (session.state === 'confirmed') {
    if (earlyOnly) throw new SipError(486, 'That dialog is confirmed')
    return
  }
  // A call that rings at us cannot be taken over.
  if (session.direction === 'incoming') throw new SipError(481, 'That dialog is not one of ours to give away')
}
