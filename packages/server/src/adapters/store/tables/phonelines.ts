import type { Phonelines } from '../../../core/ports/store/phonelines.ts'
import type { Db } from '../schema/index.ts'
import { extensions } from './extensions.ts'

export const phonelines = (db: Db): Phonelines => ({
  async create(accountId, { owner, alias, at }) {
    const ext = await extensions(db).create(accountId, { kind: 'p', alias, owner, at })
    await db
      .insertInto('phoneline')
      .values({ account_id: accountId, ext, owner, block_anonymous: 0, block_anonymous_target: 'REJECT', busy_on_busy: 0, incoming_url: '', outgoing_url: '' })
      .execute()
    return ext
  },
})
