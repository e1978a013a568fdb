import type { Kysely } from 'kysely'
import type { AccountSchema } from './account.ts'
import type { AssistantSchema } from './assistant.ts'
import type { ClusterSchema } from './cluster.ts'
import type { ExtensionSchema } from './extensions.ts'
import type { FaxSchema } from './faxes.ts'
import type { IdentitySchema } from './identity.ts'
import type { MessageSchema } from './messages.ts'
import type { MoneySchema } from './money.ts'
import type { NumberSchema } from './numbers.ts'
import type { ProgramSchema } from './programs.ts'
import type { PushSchema } from './push.ts'
import type { RecordSchema } from './records.ts'
import type { TimelineSchema } from './timelines.ts'

export type Schema = AccountSchema &
  IdentitySchema &
  ExtensionSchema &
  NumberSchema &
  MoneySchema &
  RecordSchema &
  MessageSchema &
  AssistantSchema &
  PushSchema &
  ProgramSchema &
  FaxSchema &
  ClusterSchema &
  TimelineSchema

/** A connection or transaction of either database. */
export type Db = Kysely<Schema>
