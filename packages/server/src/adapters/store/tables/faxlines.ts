import type { Faxlines } from '../../../core/ports/store/faxlines.ts'
import type { Db } from '../schema/index.ts'
import { extensions } from './extensions.ts'

export const faxlines = (db: Db): Faxlines => ({
  async create(accountId, { owner, alias, at }) {
    const ext = await extensions(db).create(accountId, { kind: 'f', alias, owner, at })
    await db
      .insertInto('faxline')
      .values({ account_id: accountId, ext, owner, tagline: '', caller_id: null, can_send: 1, can_receive: 1 })
      .execute()
    return ext
  },
})
