/** Something in an answer that was not done, and why. The customer reads it in the delivery log. */
export interface ActionProblem {
  /** Place in the answer; -1 when it is about the answer as a whole. */
  index: number
  type?: string
  /** Names the field. */
  message: string
}

/** `superseded`: the session no longer waited for the reply. */
export type DeliveryState = 'delivered' | 'failed' | 'superseded' | 'dead'

/** One attempt to tell a customer's endpoint something. Never holds what was said, only its size. */
export interface Delivery {
  /** Later ones are greater. */
  id: string
  accountId: string
  flowId: string
  sessionId: string
  eventId: string
  eventType: string
  sequence: number
  turn: number
  attempt: number
  /** `listener`: a developer's machine took it instead. */
  channel: 'webhook' | 'websocket' | 'fallback' | 'listener'
  at: number
  durationMs: number
  state: DeliveryState
  status: number | undefined
  requestBytes: number
  replyBytes: number
  /** Types of the actions that were understood. */
  actions: readonly string[]
  problems: readonly ActionProblem[]
  error: string | undefined
}

/** Of actions and problems, when more become known later: an endpoint that does everything wrong would fill the log. */
export const maxRecorded = 100

/** What becomes known of an attempt after it. */
export interface DeliveryAmendment {
  actions: readonly string[]
  problems: readonly ActionProblem[]
  /** It failed after all, and why. */
  error?: string | undefined
}

export interface DeliveryFilter {
  sessionId?: string
  state?: DeliveryState
  /** The id of the last one that was read. */
  before?: string
  limit: number
}

export interface Deliveries {
  insert(deliveries: readonly Delivery[]): Promise<void>
  /** The latest first. */
  list(accountId: string, flowId: string, filter: DeliveryFilter): Promise<Delivery[]>
  /** Of each of these flows the latest ten, and the latest that went well and that failed, however old they are; the latest first. */
  latest(accountId: string, flowIds: readonly string[]): Promise<Delivery[]>
  find(accountId: string, flowId: string, id: string): Promise<Delivery | undefined>
  /** When the first attempt after this one failed; undefined: none has. */
  firstFailure(accountId: string, flowId: string, after: string | undefined): Promise<number | undefined>
  /** How many attempts went well and how many failed since then. */
  tally(accountId: string, flowId: string, since: number): Promise<{ ok: number; failed: number }>
  /** Added to the latest attempt for that event; nothing happens when there is none. */
  amend(eventId: string, amendment: DeliveryAmendment): Promise<void>
  /** At most `limit` of them; how many it were. */
  removeBefore(at: number, limit: number): Promise<number>
}
