import type { Voicemails } from '../../../core/ports/store/voicemails.ts'
import type { Db } from '../schema/index.ts'
import { extensions } from './extensions.ts'

export const voicemails = (db: Db): Voicemails => ({
  async create(accountId, { owner, alias, at }) {
    const ext = await extensions(db).create(accountId, { kind: 'v', alias, owner, at })
    await db
      .insertInto('voicemail')
      .values({ account_id: accountId, ext, owner, timeout_s: 20, active: 1, transcription: 0 })
      .execute()
    return ext
  },
})
