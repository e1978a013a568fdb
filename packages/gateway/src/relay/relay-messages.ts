import type { Session } from '@offhook/contract/assistant/session.ts'
import { sid, twilioCall } from '../twilio-names.ts'
import { readJson } from '../gateway.ts'

/** Message of a ConversationRelay server; its fields are unvalidated. */
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

/** Undefined if invalid. */
export const readRelayMessage = (text: string): RelayMessage | undefined => {
  const message = readJson(text) as Partial<RelayMessage> | null | undefined
  return typeof message === 'object' && typeof message?.type === 'string' ? (message as RelayMessage) : undefined
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

/** SSML that plays the audio at an address `times` times. */
export const soundAt = (address: string, times: unknown = 1): string => {
  const often = typeof times === 'number' && Number.isInteger(times) && times > 0 ? Math.min(times, maxLoop) : maxLoop
  const escaped = address.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
  return `<speak>${`<audio src="${escaped}"/>`.repeat(often)}</speak>`
}

/** Keys that we can send; Twilio's W is one second, our w half a second. */
export const sendableDigits = (digits: string): string =>
  digits
    .replaceAll('W', 'ww')
    .replaceAll(/[^0-9*#A-Dw]/g, '')
    .slice(0, 32)

/** Which input of the caller counts, as ConversationRelay writes it. */
const signs = ['none', 'dtmf', 'speech', 'any'] as const
export type Signs = (typeof signs)[number]

/** The attributes of `<ConversationRelay>` that are supported here. */
export interface RelaySettings {
  welcomeGreeting?: string
  welcomeGreetingInterruptible: Signs
  interruptible: Signs
  /** Input reported to the server during uninterruptible speech. */
  reportInputDuringAgentSpeech: Signs
  preemptible: boolean
  /** Sends partial transcripts to the server; the flow must have `user_speak_partial` among its extended_events. */
  partialPrompts: boolean
  dtmfDetection: boolean
  /** Default: the flow's language. */
  ttsLanguage?: string
  transcriptionLanguage: string
  customParameters: Readonly<Record<string, string>>
}

/** Also accepts booleans, the original form. */
export const readSigns = (value: unknown, missing: Signs): Signs => {
  if (value === true || value === 'true') return 'any'
  if (value === false || value === 'false') return 'none'
  return signs.find((one) => one === value) ?? missing
}

/** Defaults without TwiML. */
export const plainRelay = (language: string): RelaySettings => ({
  welcomeGreetingInterruptible: 'any',
  interruptible: 'any',
  reportInputDuringAgentSpeech: 'none',
  preemptible: false,
  partialPrompts: true,
  dtmfDetection: true,
  transcriptionLanguage: language,
  customParameters: {},
})
