import { Type } from 'typebox'
import { operation } from '../../operation.ts'
import { Input, Nullable, Output } from '../../values.ts'

/** Data kinds with a configurable retention. */
export const retentionKinds = ['recordings', 'voicemail', 'faxes', 'timelines', 'transcripts', 'history'] as const
export type RetentionKind = (typeof retentionKinds)[number]

const maxDays = 3_650

const about: Record<RetentionKind, string> = {
  recordings: 'Recorded calls',
  voicemail: 'Messages in voicemails: the sound and its text',
  faxes: 'The documents of faxes',
  timelines: 'Timelines of calls',
  transcripts: 'What was said: the words in timelines and voicemails, results of assistants, reports of test runs',
  history: 'Entries of the history, with all that belongs to them: recording, message, fax, timeline, SMS text and note',
}

const Period = (description: string) =>
  Output(
    {
      days: Nullable(Type.Integer({ description: 'As the account wants it; null: as long as the operator keeps it' })),
      maxDays: Nullable(Type.Integer({ description: 'As long as the operator keeps it; null: until it is erased' })),
      effectiveDays: Nullable(Type.Integer({ description: 'The shorter of the two; null: until it is erased' })),
    },
    { description },
  )

const Days = (description: string) =>
  Type.Optional(Nullable(Type.Integer({ minimum: 0, maximum: maxDays, description: `${description}; null or 0: the operator's default` })))

export const Retention = Output({
  recordings: Period(about.recordings),
  voicemail: Period(about.voicemail),
  faxes: Period(about.faxes),
  timelines: Period(about.timelines),
  transcripts: Period(about.transcripts),
  history: Period(about.history),
})

const shared = { auth: 'user', bearer: true, permission: 'CAN_MANAGE_PRIVACY' } as const

export const retentionOperations = {
  getRetention: operation({
    id: 'getRetention',
    method: 'GET',
    path: '/v1/settings/retention',
    summary: 'How many days data of the account is kept',
    ...shared,
    scopes: ['settings:read'],
    status: 200,
    reply: Retention,
  }),
  setRetention: operation({
    id: 'setRetention',
    method: 'PUT',
    path: '/v1/settings/retention',
    summary: 'Set how many days data of the account is kept; older data is erased, at once and then every hour',
    description: 'Kinds that are left out stay as they are. No kind can be kept longer than the operator keeps it.',
    ...shared,
    scopes: ['settings:write'],
    body: Input({
      recordings: Days(about.recordings),
      voicemail: Days(about.voicemail),
      faxes: Days(about.faxes),
      timelines: Days(about.timelines),
      transcripts: Days(about.transcripts),
      history: Days(about.history),
    }),
    status: 204,
  }),
}
