import { Type, type Static } from 'typebox'
import { operation } from '../operation.ts'
import { Input, Nullable, OneOf, Output, RequiredText, Timestamp } from '../values.ts'

/** Dialled by a page: it hears itself, and can show how long that takes. */
export const echoTest = '*43'

/** A WebSocket for the sound of one call, in binary messages as a talk has them; `ticket` as `sound` of PhoneNews has it. */
export const phoneSoundPath = (ticket: string): string => `/v3/phone-sound/${ticket}`

export const declineCauses = ['rejected', 'busy', 'do_not_disturb'] as const

const IceServer = Output({
  urls: Type.Array(Type.String()),
  username: Type.Optional(Type.String()),
  credential: Type.Optional(Type.String()),
})

export const PushSubscription = Input({
  endpoint: Type.String({ minLength: 1, maxLength: 2000, description: 'https, of the maker of the browser' }),
  keys: Input({ p256dh: RequiredText(200), auth: RequiredText(100) }),
  language: RequiredText(35),
})

const byUser = { auth: 'user', bearer: true } as const
const pushing = { ...byUser, scopes: ['push_device:register'] } as const

/**
 * The phone in a browser. A page opens the WebSocket, is rung there and calls from there; the sound goes over WebRTC. Text messages are JSON,
 * see PageFrame and PhoneNews. Closing the connection hangs up; one that breaks can be resumed for ten seconds, with a new ticket.
 */
export const phoneOperations = {
  openPhone: operation({
    id: 'openPhone',
    method: 'POST',
    path: '/v3/phone/tickets',
    summary: 'A WebSocket address at which a page becomes a phone of its user, once, within 30 seconds',
    ...byUser,
    scopes: ['sessions:calls:write'],
    permission: 'CAN_INITIATE_CALLS',
    status: 201,
    reply: Output({
      url: Type.String({
        description:
          'ws or wss; whoever has it may call once in your name. Pages of the service may put their own origin in place of the one in it.',
      }),
      expiresAt: Timestamp,
      deviceId: Type.String({ description: 'The BROWSER device of the user; it is made when there is none' }),
      iceServers: Type.Array(IceServer, { description: 'For RTCPeerConnection' }),
    }),
    errors: ['unavailable', 'phone_limit_reached'],
  }),
  getPushKey: operation({
    id: 'getPushKey',
    method: 'GET',
    path: '/v3/phone/push/key',
    summary: 'What a browser needs to be notified of calls while no page is visible',
    ...pushing,
    status: 200,
    reply: Output({
      key: Nullable(Type.String({ description: 'applicationServerKey, base64url (RFC 8292); null: notifications are switched off' })),
    }),
  }),
  subscribePush: operation({
    id: 'subscribePush',
    method: 'PUT',
    path: '/v3/phone/push',
    summary: 'Notify this browser of calls',
    ...pushing,
    body: PushSubscription,
    status: 200,
    reply: Output({ id: Type.String({ description: 'To unsubscribe; the same for the same endpoint' }) }),
    errors: ['push_endpoint_refused', 'unavailable'],
  }),
  unsubscribePush: operation({
    id: 'unsubscribePush',
    method: 'DELETE',
    path: '/v3/phone/push/{subscriptionId}',
    summary: 'Notify this browser no longer',
    ...pushing,
    status: 204,
    errors: ['not_found'],
  }),
  declinePhoneCall: operation({
    id: 'declinePhoneCall',
    method: 'POST',
    path: '/v3/phone/declines',
    summary: 'Decline a call from its notification, with the ticket that came with it',
    auth: 'public',
    bearer: false,
    body: Input({ ticket: RequiredText(200) }),
    status: 204,
    errors: ['phone_ticket_invalid'],
  }),
}

/** What a browser is notified of, encrypted for it alone. `ring` begins it; what comes later about the same call takes its place. */
export interface CallNotice {
  type: 'ring' | 'missed' | 'elsewhere' | 'answered' | 'declined'
  callId: string
  from: { number?: string; name: string }
  /** For `declinePhoneCall`; only with `ring`. */
  decline?: string
}

/** As it is sent: in the language that was subscribed. */
export type SentNotice = CallNotice & { language: string }

const CallId = Type.String({ pattern: '^[A-Za-z0-9-]{1,64}$', description: 'The page gives it to a call that it makes, preferably a UUID' })
const Sdp = Type.String({ minLength: 1, maxLength: 32_768 })
const Dialled = RequiredText(100)
const about = { callId: CallId }

/** What a page says, by type. */
export const pageFrames = {
  dial: Input({
    type: Type.Literal('dial'),
    ...about,
    to: Dialled,
    sdp: Sdp,
    callerId: Type.Optional(
      Type.String({ pattern: '^(\\+[0-9]{1,20}|anonymous)$', description: 'E.164 or anonymous; else as the device is set' }),
    ),
  }),
  /** It rings and can be seen. */
  ringing: Input({ type: Type.Literal('ringing'), ...about }),
  accept: Input({ type: Type.Literal('accept'), ...about, sdp: Sdp }),
  decline: Input({ type: Type.Literal('decline'), ...about, cause: Type.Optional(OneOf(declineCauses)) }),
  hangup: Input({ type: Type.Literal('hangup'), ...about }),
  hold: Input({ type: Type.Literal('hold'), ...about, value: Type.Boolean() }),
  dtmf: Input({ type: Type.Literal('dtmf'), ...about, digits: Type.String({ pattern: '^[0-9*#]{1,32}$' }) }),
  /** To a number, or to the other party of another call of this page. */
  transfer: Input({ type: Type.Literal('transfer'), ...about, to: Type.Optional(Dialled), toCall: Type.Optional(CallId) }),
  record: Input({ type: Type.Literal('record'), ...about, value: Type.Boolean() }),
  /**
   * After `ready`, for a page whose connection broke: `pageId` as it was before, and the calls that it still wants. They are told anew, what has
   * ended meanwhile is `ended`, and what is not named is hung up.
   */
  resume: Input({
    type: Type.Literal('resume'),
    pageId: Type.String({ pattern: '^[0-9a-f-]{36}$' }),
    callIds: Type.Array(CallId, { maxItems: 32 }),
  }),
  /** WebRTC finds no way, or has lost it: the sound is to go over a WebSocket. May be said again when that breaks. */
  sound: Input({ type: Type.Literal('sound'), ...about }),
  /** Somebody sees the page; without any that is visible, browsers that asked for it are notified of calls. */
  visible: Input({ type: Type.Literal('visible'), value: Type.Boolean() }),
  /** How the page hears the call, every five seconds. `silentMs`: for how long nothing has come. */
  quality: Input({
    type: Type.Literal('quality'),
    ...about,
    lossPct: Type.Number({ minimum: 0, maximum: 100 }),
    jitterMs: Type.Number({ minimum: 0, maximum: 60_000 }),
    rttMs: Type.Optional(Type.Number({ minimum: 0, maximum: 60_000 })),
    silentMs: Type.Number({ minimum: 0 }),
  }),
}

/** From the page. */
export type PageFrame = { [Type in keyof typeof pageFrames]: Static<(typeof pageFrames)[Type]> }[keyof typeof pageFrames]

export interface RingNews {
  type: 'ring'
  callId: string
  /** `number` is missing when the caller withholds it; `contactId` is there when `name` is that of a contact. */
  from: { number?: string; name: string; contactId?: string }
  /** What was called, and the alias of the line that rings. */
  to: { number: string; line: string }
  /** ISO 8601. */
  since: string
}

/** From the service. */
export type PhoneNews =
  /** The first one. */
  | { type: 'ready'; deviceId: string; pageId: string }
  | RingNews
  /** The other side rings. */
  | { type: 'ringing'; callId: string }
  /** The answer to the page's offer. Early: nobody has picked up yet, but there is something to hear. */
  | { type: 'media'; callId: string; sdp: string; early: boolean }
  /**
   * Where to open a WebSocket for the sound, once, within 30 seconds: 16 kHz, 16 bit, 20 ms in each binary message. Comes without having been asked for
   * when WebRTC loses its way; then the call ends unless the WebSocket is open within ten seconds.
   */
  | { type: 'sound'; callId: string; path: string }
  | { type: 'answered'; callId: string }
  /** The call as /v2/calls, the history and the timeline know it. */
  | { type: 'call'; callId: string; coreCallId: string }
  /** The other side put the call on hold, or took it back. */
  | { type: 'held'; callId: string; value: boolean }
  | { type: 'recording'; callId: string; value: boolean }
  | { type: 'transfer'; callId: string; state: 'trying' | 'done' | 'failed'; cause?: string }
  /** `by`: this page or its user (peer), the other side or the service (us). `elsewhere`: somebody took it at another phone or page. */
  | { type: 'ended'; callId: string; by: 'peer' | 'us' | 'network'; cause: string; elsewhere?: true }
  /** What was sent is invalid, or cannot be done at this moment; everything else goes on. */
  | { type: 'problem'; message: string; callId?: string }
