import { Type } from 'typebox'
import { Input } from '../values.ts'

export const NewPassword = Type.String({ minLength: 12, maxLength: 200 })

/** Operator lists are paged: `after` is the id of the previous page's last element. */
export const Page = Input({
  after: Type.Optional(Type.String({ maxLength: 64 })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 100 })),
})
