import { Type } from 'typebox'
import { operation } from '../operation.ts'
import { Input, Output, RequiredText, TotalCount } from '../values.ts'

const Participant = Output({
  participantId: Type.String(),
  phoneNumber: Type.String({ description: 'E.164; empty when it is withheld or there is none' }),
  name: Type.Optional(Type.String({ description: "Of the caller's contact with this number, or of whom it leads to in the account" })),
  contactId: Type.Optional(Type.String()),
  muted: Type.Boolean(),
  hold: Type.Boolean(),
  owner: Type.Boolean({ description: 'Belongs to the account' }),
})

const Call = Output({
  callId: Type.String(),
  muted: Type.Boolean(),
  recording: Type.Boolean(),
  recordingPaused: Type.Optional(Type.Boolean({ description: 'Silence is recorded at the moment; missing: no' })),
  hold: Type.Boolean(),
  participants: Type.Array(Participant),
})

const Switch = Input({ value: Type.Boolean() })

const control = { auth: 'user', bearer: true, scopes: ['rtcm:write'], permission: 'CAN_CONTROL_CALLS', scoped: true, status: 204 } as const

/** Errors because another process may own the call. */
const elsewhere = ['call_moving', 'outcome_unknown'] as const

export const callOperations = {
  listCalls: operation({
    id: 'listCalls',
    method: 'GET',
    path: '/v2/calls',
    summary: 'Established calls of the caller; for administrators, of the account',
    description:
      'Where several processes serve an installation, one that does not answer in time is left out; the header `Offhook-Incomplete` then says how many are.',
    auth: 'user',
    bearer: true,
    scopes: ['rtcm:read', 'rtcm:write'],
    permission: 'CAN_CONTROL_CALLS',
    scoped: true,
    status: 200,
    reply: Output({ data: Type.Array(Call), totalCount: TotalCount }),
  }),
  holdCall: operation({
    id: 'holdCall',
    method: 'PUT',
    path: '/v2/calls/{callId}/hold',
    summary: 'Put all participants on hold, or retrieve them',
    ...control,
    body: Switch,
    errors: [...elsewhere, 'call_not_found', 'call_not_in_state', 'conflict'],
  }),
  muteCall: operation({
    id: 'muteCall',
    method: 'PUT',
    path: '/v2/calls/{callId}/muted',
    summary: 'Mute or unmute the microphone',
    ...control,
    body: Switch,
    errors: [...elsewhere, 'call_not_found', 'call_not_in_state', 'conflict'],
  }),
  transferCall: operation({
    id: 'transferCall',
    method: 'POST',
    path: '/v2/calls/{callId}/transfer',
    summary: 'Transfer the call, after talking to the new party (attended) or without',
    ...control,
    body: Input({
      attended: Type.Boolean({
        description:
          'True: the own phone talks to the new party while the other one hears music; completed by hanging up or by the same request with ' +
          'false, called off by PUT hold false or when the new party hangs up. False: the other party hears ringing; if nobody answers ' +
          'within 30 seconds, the two talk again. Either way the answer comes when the new party rings or has answered.',
      }),
      phoneNumber: Type.String({ minLength: 1, maxLength: 64, description: 'E.164 with the plus sign' }),
      callerId: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: 'Number of the account that the new party sees' })),
    }),
    errors: [
      ...elsewhere,
      'number_invalid',
      'call_not_found',
      'call_not_in_state',
      'transfer_failed',
      'insufficient_funds',
      'daily_limit_reached',
      'call_limit_reached',
      'caller_id_not_owned',
      'destination_blocked',
      'destination_closed',
    ],
  }),
  recordCall: operation({
    id: 'recordCall',
    method: 'PUT',
    path: '/v2/calls/{callId}/recording',
    summary: 'Start or stop recording, announced to the participants or not',
    description:
      'A rule of the account or number (`/v1/settings/recording`) comes first: with `announce` the answer comes after the announcement, with `consent` after ' +
      'the other party has agreed, or with 409 `recording_declined`.',
    ...control,
    body: Input({ value: Type.Boolean(), announcement: Type.Optional(Type.Boolean({ default: false })) }),
    errors: [
      ...elsewhere,
      'call_not_found',
      'call_not_in_state',
      'conflict',
      'recording_declined',
      'recording_disk_full',
      'recording_quota_reached',
    ],
  }),
  pauseRecording: operation({
    id: 'pauseRecording',
    method: 'PUT',
    path: '/v2/calls/{callId}/recording/paused',
    summary: 'Pause the recording, or resume it: meanwhile it holds silence, so that its times still match those of the call',
    description: 'An assistant that collects the digits of a card pauses it by itself, and then it stays paused until it has them.',
    ...control,
    body: Switch,
    errors: [...elsewhere, 'call_not_found', 'call_not_in_state', 'conflict'],
  }),
  sendDtmf: operation({
    id: 'sendDtmf',
    method: 'POST',
    path: '/v2/calls/{callId}/dtmf',
    summary: 'Send tones',
    ...control,
    body: Input({ sequence: Type.String({ minLength: 1, maxLength: 64, pattern: '^[0-9*#]+$' }) }),
    errors: [...elsewhere, 'call_not_found', 'call_not_in_state', 'conflict'],
  }),
  announceInCall: operation({
    id: 'announceInCall',
    method: 'POST',
    path: '/v2/calls/{callId}/announcements',
    summary: 'Play a WAV file (mono, 16 bit PCM, 8 kHz) to all participants',
    ...control,
    body: Input({ url: RequiredText(2000) }),
    errors: [...elsewhere, 'call_not_found', 'call_not_in_state', 'conflict'],
  }),
  hangUpCall: operation({
    id: 'hangUpCall',
    method: 'DELETE',
    path: '/v2/calls/{callId}',
    summary: 'End the call',
    ...control,
    errors: [...elsewhere, 'call_not_found'],
  }),
}
