import { Type } from 'typebox'
import { refusalsOfPaidOrders } from '../errors.ts'
import { operation } from '../operation.ts'
import { Input, Output, RequiredText } from '../values.ts'

/** Characters: ten parts of the GSM alphabet. */
export const longestSms = 1530

/** Bytes: room for a file of 10 MiB in Base64 with line breaks, and the other fields. */
const faxBodyLimit = 15_000_000

const Session = Output({ sessionId: Type.String({ description: 'Of a call: usable as callId while it runs' }) })

const order = { method: 'POST', auth: 'user', bearer: true, idempotent: true } as const

export const sessionOperations = {
  startCall: operation({
    id: 'startCall',
    tools: ['place_call'],
    path: '/v1/sessions/calls',
    summary: 'Start a call: the caller’s phone rings first, then the callee’s',
    ...order,
    scopes: ['sessions:write', 'sessions:calls:write'],
    permission: 'CAN_INITIATE_CALLS',
    body: Input({
      caller: Type.String({ minLength: 1, maxLength: 64, description: 'Device, phone line or phone number' }),
      callee: Type.String({
        minLength: 1,
        maxLength: 64,
        description: 'Phone number, quick dial number, extension, or 50000 to hear messages',
      }),
      deviceId: Type.Optional(
        Type.String({ minLength: 1, maxLength: 64, description: 'Required when caller is a phone number: the device it is billed to' }),
      ),
      callerId: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: 'Number of the account that the callee sees' })),
    }),
    status: 200,
    reply: Session,
    errors: [
      ...(['callee_invalid', 'caller_invalid', 'device_id_missing', 'number_invalid', 'device_not_found', 'call_not_allowed'] as const),
      ...(['caller_id_not_owned', 'caller_not_reachable'] as const),
      ...refusalsOfPaidOrders,
      'unavailable' as const,
    ],
  }),
  sendFax: operation({
    id: 'sendFax',
    heavy: true,
    path: '/v1/sessions/fax',
    summary: 'Send a PDF of at most 10 MiB and 200 pages as a fax',
    ...order,
    scopes: ['sessions:write', 'sessions:fax:write'],
    permission: 'CAN_SEND_FAX',
    bodyLimit: faxBodyLimit,
    body: Input({
      faxlineId: RequiredText(64),
      recipient: RequiredText(64),
      filename: Type.String({ minLength: 1, maxLength: 1000, description: 'A path is cut off, .pdf is added where it is missing' }),
      base64Content: Type.String({ minLength: 1, maxLength: faxBodyLimit, contentEncoding: 'base64', contentMediaType: 'application/pdf' }),
    }),
    status: 200,
    reply: Session,
    errors: [
      ...(['number_invalid', 'body_too_large', 'faxline_not_found', 'forbidden', 'feature_not_booked', 'conflict'] as const),
      ...refusalsOfPaidOrders,
      'unavailable' as const,
    ],
  }),
  resendFax: operation({
    id: 'resendFax',
    path: '/v1/sessions/fax/resend',
    summary: 'Send the document of an earlier fax to its recipient once more',
    ...order,
    scopes: ['sessions:write', 'sessions:fax:write'],
    permission: 'CAN_SEND_FAX',
    body: Input({
      faxId: Type.String({ minLength: 1, maxLength: 64, description: 'Id of the history entry' }),
      faxlineId: RequiredText(64),
    }),
    status: 204,
    errors: [
      ...(['history_entry_not_found', 'faxline_not_found', 'conflict', 'forbidden', 'feature_not_booked', 'number_invalid'] as const),
      ...refusalsOfPaidOrders,
      'unavailable' as const,
    ],
  }),
  sendSms: operation({
    id: 'sendSms',
    tools: ['send_sms'],
    path: '/v1/sessions/sms',
    summary: 'Send a text message',
    ...order,
    scopes: ['sessions:write', 'sessions:sms:write'],
    permission: 'CAN_ACCOUNT_SEND_WEB_SMS',
    body: Input({
      smsId: RequiredText(64),
      recipient: RequiredText(64),
      message: RequiredText(longestSms),
      sendAt: Type.Optional(
        Type.Number({ minimum: 0, maximum: 10_000_000_000_000, description: 'Seconds since the epoch, at most 30 days ahead' }),
      ),
    }),
    status: 204,
    errors: [
      ...(['number_invalid', 'sms_not_found', 'forbidden', 'feature_not_booked', 'sms_sender_missing'] as const),
      ...refusalsOfPaidOrders,
    ],
  }),
}
