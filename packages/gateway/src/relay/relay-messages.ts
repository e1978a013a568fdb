import type { Session } from '@offhook/contract/assistant/session.ts'
import { sid, twilioCall } from '../twilio-names.ts'

/** From a ConversationRelay server; fields are what it likes to send, so nothing is believed. */
export interface RelayMessage {
  type: string
  token?: unknown
  last?: unknown
  lang?: unknown
  interruptible?: unknown
  preemptible?: unknown
  source?: unknown
  loop?: unknown
  digits?: unknown
  ttsLanguage?: unknown
  transcriptionLanguage?: unknown
  handoffData?: unknown
}

/** Undefined when it is none. */
export const readRelayMessage = (text: string): RelayMessage | undefined => {
  try {
    const message = JSON.parse(text) as Partial<RelayMessage> | null
    return typeof message === 'object' && typeof message?.type === 'string' ? (message as RelayMessage) : undefined
  } catch {
    return undefined
  }
}

export const setupMessage = (session: Session, customParameters: Readonly<Record<string, string>>): string => {
  const { accountSid, callSid, from, to, direction } = twilioCall(session)
  return JSON.stringify({
    type: 'setup',
    sessionId: sid('VX', session.id),
    accountSid,
    parentCallSid: '',
    callSid,
    from,
    to,
    forwardedFrom: '',
    callType: 'PSTN',
    callerName: '',
    direction,
    callStatus: 'IN-PROGRESS',
    customParameters,
  })
}

const maxLoop = 20

/** A sound at an address, as often as it is wanted. SSML can fetch it. */
export const soundAt = (address: string, times: unknown = 1): string => {
  const often = typeof times === 'number' && Number.isInteger(times) && times > 0 ? Math.min(times, maxLoop) : maxLoop
  const escaped = address.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
  return `<speak>${`<audio src="${escaped}"/>`.repeat(often)}</speak>`
}

/** Keys that we can send; W is a whole second, for us two halves. */
export const sendableDigits = (digits: string): string =>
  digits
    .replaceAll('W', 'ww')
    .replaceAll(/[^0-9*#A-Dw]/g, '')
    .slice(0, 32)
