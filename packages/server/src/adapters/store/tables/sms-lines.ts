import type { SmsLines } from '../../../core/ports/store/sms-lines.ts'
import type { Db } from '../schema/index.ts'
import { extensions } from './extensions.ts'

export const smsLines = (db: Db): SmsLines => ({
  async create(accountId, { owner, alias, at }) {
    const ext = await extensions(db).create(accountId, { kind: 's', alias, owner, at })
    await db
      .insertInto('sms_line')
      .values({ account_id: accountId, ext, owner })
      .execute()
    return ext
  },
})
