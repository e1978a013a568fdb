import { Type } from 'typebox'
import { Input } from '../values.ts'

export const NewPassword = Type.String({ minLength: 12, maxLength: 200 })

/** Lists of the operator come in pages: `after` is the id of the last element of the page before. */
export const Page = Input({
  after: Type.Optional(Type.String({ maxLength: 64 })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 100 })),
})
