import type { BargeIn, TtsWish, turnTakings } from '@offhook/contract/assistant/actions.ts'
import type { ExtendedEvent, mediaFormats, mediaRates } from '@offhook/contract/assistant/events.ts'
import type { endpointProtocols, flowEndpoints, mediaModes, redactions } from '@offhook/contract/v3/flow-values.ts'
import type { Static } from 'typebox'

/** What a customer set for a flow; kept as one document, so that settings can be added without a migration. What is missing has its default. */
export interface FlowSettings {
  /** Who answers: an endpoint of the customer's (default), or the assistant that is written here. */
  endpoint?: (typeof flowEndpoints)[number]
  /** Where events go; with both, the WebSocket is tried first. */
  webhookUrl?: string
  websocketUrl?: string
  /** Asked once when the webhook cannot be reached at the start of a session. */
  fallbackUrl?: string
  /** Which language the endpoint speaks; default: ours. */
  protocol?: (typeof endpointProtocols)[number]
  /** Sound over the WebSocket; missing: none. */
  media?: FlowMedia
  /** Sealed; sent as X-API-Key and X-API-TOKEN. */
  apiKey?: string
  /** Sealed webhook secrets, the newest first; two while a rotation lasts. */
  secrets?: readonly FlowSecret[]
  /** Shown to the people whom the flow calls: digits of E.164 without the plus sign. */
  phoneNumber?: string
  /** BCP 47; default: the account's. */
  language?: string
  tts?: Static<typeof TtsWish>
  stt?: { provider?: string; languages?: readonly string[]; vocabulary?: readonly string[] }
  bargeIn?: Static<typeof BargeIn>
  endOfTurnSilenceMs?: number
  turnTaking?: (typeof turnTakings)[number]
  /** Said while the endpoint takes its time. */
  fillers?: { afterMs?: number; texts?: readonly string[]; off?: boolean }
  timeouts?: {
    attemptMs?: number
    totalMs?: number
    userInputSeconds?: number
    /** A silence of the caller for this long ends the call. */
    silenceSeconds?: number
    maxCallSeconds?: number
  }
  fallback?: { text?: string; transferTo?: string }
  /** Said when an answer did not come. */
  retryText?: string
  extendedEvents?: readonly ExtendedEvent[]
  /** Where a transfer may go: E.164, or a prefix that ends in *, or an extension. None: nowhere. */
  transferTargets?: readonly string[]
  recording?: boolean
  /** False: what happens in calls is streamed to watchers, but not kept. */
  keepTimeline?: boolean
  /** What is left out of timelines and results. */
  redact?: readonly (typeof redactions)[number][]
  /** Outbound: find out whether a person or a machine answered; as a field of session_start (waits for it) or as an event. */
  answeringMachineDetection?: 'off' | 'field' | 'event'
  answerAfterSeconds?: number
  /** The endpoint said that it is gone (410), or failed for days: only a change of the flow brings it back. */
  disabledBecause?: string
  /** Counts changes of the settings; missing: 1. */
  version?: number
}

export interface FlowMedia {
  mode: (typeof mediaModes)[number]
  format?: (typeof mediaFormats)[number]
  rate?: (typeof mediaRates)[number]
}

export interface FlowSecret {
  id: string
  sealed: string
  createdAt: number
  /** Still signed with until then. */
  expiresAt?: number
}

export interface Flow {
  id: string
  name: string
  settings: FlowSettings
}

export interface Flows {
  list(accountId: string): Promise<Flow[]>
  find(accountId: string, id: string): Promise<Flow | undefined>
  insert(accountId: string, flow: Flow, at: number): Promise<void>
  update(accountId: string, flow: Flow, at: number): Promise<boolean>
  /** In which the flows of all accounts hear and speak, BCP 47: what may be needed at any moment. */
  languages(): Promise<string[]>
  /** Must not be called while a number leads to the flow. */
  remove(accountId: string, id: string): Promise<boolean>
}
