import type { Kysely } from 'kysely'
import type { AccountSchema } from './account.ts'
import type { AssistantSchema } from './assistant.ts'
import type { CalendarsSchema } from './calendars.ts'
import type { ClusterSchema } from './cluster.ts'
import type { ExtensionsSchema } from './extensions.ts'
import type { FaxesSchema } from './faxes.ts'
import type { IdentitySchema } from './identity.ts'
import type { KnowledgeSchema } from './knowledge.ts'
import type { MessagesSchema } from './messages.ts'
import type { MoneySchema } from './money.ts'
import type { NumbersSchema } from './numbers.ts'
import type { PrivacySchema } from './privacy.ts'
import type { ProgramsSchema } from './programs.ts'
import type { PushSchema } from './push.ts'
import type { RecordsSchema } from './records.ts'
import type { ProvidersSchema } from './providers.ts'
import type { ScenariosSchema } from './scenarios.ts'
import type { TimelinesSchema } from './timelines.ts'

export type Schema = AccountSchema &
  IdentitySchema &
  ExtensionsSchema &
  NumbersSchema &
  MoneySchema &
  RecordsSchema &
  MessagesSchema &
  AssistantSchema &
  KnowledgeSchema &
  ScenariosSchema &
  ProvidersSchema &
  PushSchema &
  ProgramsSchema &
  PrivacySchema &
  FaxesSchema &
  CalendarsSchema &
  ClusterSchema &
  TimelinesSchema

/** A connection or transaction of either database. */
export type Db = Kysely<Schema>
