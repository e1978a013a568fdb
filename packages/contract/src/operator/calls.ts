import { Type } from 'typebox'
import { sessionEndReasons } from '../assistant/session.ts'
import { operation } from '../operation.ts'
import { Input, OneOf, Output, Text, Timestamp } from '../values.ts'
import { timelineEntries } from '../v2/timeline.ts'

const callFields = {
  callId: Type.String(),
  accountId: Type.String(),
  company: Type.String({ description: 'Name of the account' }),
  aiFlowId: Type.Optional(Type.String()),
  from: Type.Optional(Type.String({ description: 'As the account sees it; missing in calls from before this was kept' })),
  to: Type.Optional(Type.String()),
  startedAt: Timestamp,
  endedAt: Type.Optional(Timestamp),
  reason: Type.Optional(Type.String({ description: 'Why it ended' })),
  trunkId: Type.Optional(Type.String({ description: 'Over which it came or went; the last of several' })),
}

/** Entries without spoken words. */
const WordlessEntry = Type.Union([timelineEntries.call, timelineEntries.sound, timelineEntries.quality])

const common = { auth: 'operator', bearer: true } as const

export const operatorCallOperations = {
  searchCalls: operation({
    id: 'searchCalls',
    method: 'GET',
    path: '/operator/v1/calls',
    summary: 'Calls of all accounts, the newest first, without what was said in them; flows that keep nothing leave nothing here',
    ...common,
    query: Input({
      search: Type.Optional(
        Type.String({ maxLength: 100, description: 'The id of a call, or at least three digits of one of its numbers' }),
      ),
      accountId: Type.Optional(Text(64)),
      reasons: Type.Optional(Type.Array(OneOf(sessionEndReasons), { minItems: 1, maxItems: sessionEndReasons.length })),
      trunkId: Type.Optional(Text(64)),
      from: Type.Optional(Type.String({ format: 'date-time' })),
      before: Type.Optional(Type.String({ format: 'date-time', description: 'readTo of the page before, or any time' })),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
    }),
    status: 200,
    reply: Output({
      items: Type.Array(Output(callFields)),
      readTo: Type.Optional(
        Type.String({
          format: 'date-time',
          description: 'So far back was looked; ask again with it as before. Missing: there is nothing older',
        }),
      ),
    }),
  }),
  readCall: operation({
    id: 'readCall',
    method: 'GET',
    path: '/operator/v1/calls/{accountId}/{callId}',
    summary: 'One call: how it went, without what was said in it',
    ...common,
    status: 200,
    reply: Output({ ...callFields, entries: Type.Array(WordlessEntry) }),
    errors: ['timeline_not_found'],
  }),
}
