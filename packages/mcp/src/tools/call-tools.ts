import { Type } from 'typebox'
import { tool } from '../tool.ts'
import { transcriptOf } from '../transcript.ts'

const CallId = Type.String({ minLength: 1, maxLength: 100, description: 'The callId of list_calls' })
const Id = (description: string) => Type.String({ minLength: 1, maxLength: 100, description })

export const callTools = [
  tool({
    name: 'list_calls',
    title: 'List calls',
    description:
      'The latest calls, messages, voicemails and faxes of the user, newest first. Read a call with read_transcript or explain_call.',
    reads: true,
    input: Type.Object({
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 50, description: '10 unless told' })),
      cursor: Type.Optional(Type.String({ maxLength: 300, description: 'next_cursor of the page before' })),
      from: Type.Optional(Type.String({ maxLength: 40, description: 'ISO 8601' })),
      to: Type.Optional(Type.String({ maxLength: 40, description: 'ISO 8601' })),
      phone_number: Type.Optional(Type.String({ maxLength: 40, description: 'Only with this number' })),
    }),
    run: async (api, { limit = 10, cursor, from, to, phone_number }) => {
      const filter = { cursor, from, to, phonenumber: phone_number }
      const given = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined))
      const { items, nextCursor } = await api.listOwnHistory({ limit, ...given })
      return { data: { items, next_cursor: nextCursor }, spoken: true }
    },
  }),
  tool({
    name: 'read_transcript',
    title: 'Read a transcript',
    description: 'What was said and pressed in one call, in order.',
    reads: true,
    input: Type.Object({
      call_id: CallId,
      after: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000_000, description: 'next_after of the page before' })),
    }),
    run: async (api, { call_id, after = 0 }) => {
      const page = await api.getTimeline({ callId: call_id, after, limit: 500 })
      const last = page.items.at(-1)?.sequence
      return {
        data: { running: page.running, lines: transcriptOf(page.items), ...(page.more && { next_after: last }) },
        spoken: true,
      }
    },
  }),
  tool({
    name: 'explain_call',
    title: 'Explain a call',
    description: 'Why a call went as it did: who waited for whom, what was cut off, discarded or lost, with advice.',
    reads: true,
    input: Type.Object({ call_id: CallId }),
    run: async (api, { call_id }) => ({ data: await api.explainCall({ callId: call_id, language: 'en' }), spoken: true }),
  }),
  tool({
    name: 'place_call',
    title: 'Place a call',
    description:
      'Call somebody. With flow_id the assistant of that flow talks to them; without it the telephone of the user (device) rings first. It costs money and rings at a person.',
    input: Type.Object({
      to: Id('Phone number with the plus sign and country code, such as +4930123456'),
      device: Id('Device of the account, such as e0: it rings first, or is billed when an assistant calls'),
      flow_id: Type.Optional(Id('The assistant that talks; see list_flows')),
    }),
    asks: ({ to, flow_id }) => (flow_id === undefined ? `Call ${to} from your telephone?` : `Let the assistant ${flow_id} call ${to}?`),
    run: async (api, { to, device, flow_id }) => ({
      data: await (flow_id === undefined
        ? api.startCall({}, { caller: device, callee: to })
        : api.callFlow({ aiFlowId: flow_id }, { billingDevice: device, toPhoneNumber: to.replace(/^\+/, '') })),
    }),
  }),
  tool({
    name: 'send_sms',
    title: 'Send a text message',
    description: 'Send an SMS. It costs money and reaches a person.',
    input: Type.Object({
      to: Id('Phone number with the plus sign and country code, such as +4915112345678'),
      message: Type.String({ minLength: 1, maxLength: 1530 }),
      sms_line: Id('SMS extension of the user, such as s0'),
    }),
    asks: ({ to, message }) => `Send this message to ${to}? ${message}`,
    run: async (api, { to, message, sms_line }) => {
      await api.sendSms({}, { smsId: sms_line, recipient: to, message })
      return { data: { sent: true } }
    },
  }),
]
