import { Type } from 'typebox'
import { operation } from '../operation.ts'
import { Items, Output, RequiredText } from '../values.ts'

export const RestrictionItem = Output({
  restriction: Type.String(),
  value: Type.Boolean({ description: 'Whether the caller may do this for the target' }),
  target: Type.String({ description: 'Id of the user concerned' }),
})

export const restrictionOperations = {
  listRestrictions: operation({
    id: 'listRestrictions',
    method: 'GET',
    path: '/v1/restrictions',
    summary: 'What the caller may do for a user (default: the caller); without names, everything there is',
    auth: 'user',
    bearer: false,
    scopes: ['internal'],
    query: Type.Object({
      userId: Type.Optional(RequiredText(32)),
      restriction: Type.Optional(Type.Array(Type.String({ maxLength: 100 }), { maxItems: 100 })),
    }),
    status: 200,
    reply: Items(RestrictionItem),
    errors: ['user_not_found'],
  }),
}
