import type { Session } from '@offhook/contract/assistant/session.ts'
import { e164 } from '../twilio-names.ts'

/** From a server of a custom LLM; fields are what it likes to send, so nothing is believed. */
export interface RetellMessage {
  response_type: string
  response_id?: unknown
  content?: unknown
  content_complete?: unknown
  no_interruption_allowed?: unknown
  end_call?: unknown
  transfer_number?: unknown
  digit_to_press?: unknown
  config?: { auto_reconnect?: unknown; call_details?: unknown } | null
}

/** Undefined when it is none. */
export const readRetellMessage = (text: string): RetellMessage | undefined => {
  try {
    const message = JSON.parse(text) as Partial<RetellMessage> | null
    return typeof message?.response_type === 'string' ? (message as RetellMessage) : undefined
  } catch {
    return undefined
  }
}

export const callDetails = (session: Session): object => ({
  interaction_type: 'call_details',
  call: {
    call_id: session.id,
    call_type: 'phone_call',
    call_status: 'ongoing',
    direction: session.direction ?? 'inbound',
    from_number: e164(session.from_phone_number),
    to_number: e164(session.to_phone_number ?? session.phone_number),
    metadata: {},
    retell_llm_dynamic_variables: {},
  },
})
