import { Type, type Static } from 'typebox'
import { productTypes } from './v1/account.ts'
import { addressFields } from './v1/addresses.ts'
import { groupStrategies } from './v1/groups.ts'
import { Overflow, RoutingRule } from './v1/routing.ts'
import { ScheduleWish } from './v1/schedules.ts'
import { VoicemailChange } from './v1/voicemails/voicemail-elements.ts'
import { AssistantSettings } from './v3/assistant-values.ts'
import { FlowWish } from './v3/flow-values.ts'
import { userRoles } from './roles.ts'
import { DisplayName, Email, Input, Locale, Nullable, OneOf, RequiredText } from './values.ts'

const maxEntries = 5_000

const id = Type.Optional(RequiredText(64))
const Destination = RequiredText(400)
const destination = {
  destination: Type.String({
    minLength: 1,
    maxLength: 400,
    description: '+4930123456, line:EMAIL/NAME, group:NAME, voicemail:… or voicemail',
  }),
}
const Section = <S extends Parameters<typeof Type.Array>[0]>(of: S) => Type.Optional(Type.Array(of, { maxItems: maxEntries }))

const FileUser = Input({
  email: Email,
  firstname: RequiredText(100),
  lastname: RequiredText(100),
  role: Type.Optional(OneOf(userRoles)),
  locale: Type.Optional(Locale),
  timezone: Type.Optional(RequiredText(64)),
  password: Type.Optional(RequiredText(1024)),
})

const FileLine = Input({
  id,
  user: Email,
  name: DisplayName,
  blockAnonymous: Type.Optional(Input({ enabled: Type.Boolean(), target: OneOf(['REJECT', 'VOICEMAIL']) })),
  busyOnBusy: Type.Optional(Type.Boolean()),
  forwardings: Type.Optional(
    Type.Array(Input({ ...destination, timeout: Type.Integer({ minimum: 0, maximum: 120 }), active: Type.Boolean() }), { maxItems: 10 }),
  ),
  parallelForwardings: Type.Optional(Type.Array(Input({ alias: DisplayName, ...destination, active: Type.Boolean() }), { maxItems: 10 })),
  voicemail: Type.Optional(VoicemailChange),
})

const FileGroup = Input({
  id,
  name: DisplayName,
  strategy: Type.Optional(OneOf(groupStrategies)),
  ringSeconds: Type.Optional(Type.Integer({ minimum: 5, maximum: 300 })),
  departmentId: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
  members: Type.Optional(Type.Array(Email, { maxItems: 200, description: 'In the order in which they are called' })),
  faxline: Type.Optional(Type.Boolean()),
  voicemail: Type.Optional(VoicemailChange),
})

const FileNumber = Input({
  number: Type.String({ pattern: '^\\+[1-9][0-9]{1,14}$', description: 'E.164 with the plus sign' }),
  address: Type.Optional(Input(addressFields)),
  to: Type.Optional(Nullable(Destination)),
})

const { scheduleId: _scheduleId, ...ruleFields } = RoutingRule.properties
const to = Type.Optional(Destination)

/** File of `offhook export` and `offhook apply`: an account with its sections in the order of creation. */
export const AccountFile = Input({
  account: Type.Optional(
    Input({
      id,
      company: RequiredText(200),
      mainProductType: Type.Optional(OneOf(productTypes)),
      logoUrl: Type.Optional(Type.String({ maxLength: 2000 })),
      country: Type.Optional(Type.String({ pattern: '^[A-Z]{2}$' })),
      locale: Type.Optional(Locale),
      currency: Type.Optional(Type.String({ pattern: '^[A-Z]{3}$' })),
    }),
  ),
  users: Section(FileUser),
  lines: Section(FileLine),
  groups: Section(FileGroup),
  numbers: Section(FileNumber),
  hours: Section(Input({ id, ...ScheduleWish.properties })),
  flows: Section(Input({ id, ...FlowWish.properties })),
  assistants: Section(
    Input({
      flow: RequiredText(100),
      publish: Type.Optional(Type.Boolean({ description: 'Default true; false: only the draft is written' })),
      settings: AssistantSettings,
    }),
  ),
  routes: Section(
    Input({
      of: Destination,
      rules: Type.Optional(Type.Array(Input({ hours: DisplayName, ...ruleFields, to }), { maxItems: 20 })),
      overflow: Type.Optional(Type.Array(Input({ ...Overflow.properties, to }), { maxItems: 3 })),
    }),
  ),
})
export type AccountFile = Static<typeof AccountFile>

export const fileSections = ['users', 'lines', 'groups', 'numbers', 'hours', 'flows', 'assistants', 'routes'] as const
export type FileSection = (typeof fileSections)[number]
export type FileEntry<S extends FileSection> = NonNullable<AccountFile[S]>[number]
