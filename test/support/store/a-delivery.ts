import type { Delivery } from '#core/kernel/ports/store/session.ts'

/** Successful attempt; tests override the relevant fields. */
export const aDelivery = (id: string, more: Partial<Delivery> = {}): Delivery => ({
  id,
  accountId: 'a',
  flowId: 'flow',
  sessionId: 's',
  eventId: `event-${id}`,
  eventType: 'session_end',
  sequence: 4,
  turn: 2,
  attempt: 1,
  channel: 'webhook',
  at: 1_700_000_000_000,
  durationMs: 12,
  state: 'delivered',
  status: 200,
  requestBytes: 100,
  replyBytes: 0,
  actions: [],
  problems: [],
  error: undefined,
  ...more,
})
