import { Problem } from '@offhook/contract/problem.ts'
import type { Faxline } from '#core/kernel/ports/store/line/faxlines.ts'
import type { Group } from '#core/kernel/ports/store/line/groups.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { Phoneline } from '#core/kernel/ports/store/line/phonelines.ts'
import type { SmsLine } from '#core/kernel/ports/store/line/sms-lines.ts'
import type { Voicemail } from '#core/kernel/ports/store/line/voicemails.ts'

/** What an address names must exist and belong to what stands before it in the address; otherwise it is not there. */

export const phonelineOf = async (
  tables: Tables,
  accountId: string,
  { userId, phonelineId }: { userId: string; phonelineId: string },
): Promise<Phoneline> => {
  const line = await tables.phonelines.find(accountId, phonelineId)
  if (line?.owner !== userId) throw new Problem('phoneline_not_found')
  return line
}

export const voicemailOf = async (
  tables: Tables,
  accountId: string,
  named: { userId: string; phonelineId: string; voicemailId: string },
): Promise<Voicemail> => {
  const line = await phonelineOf(tables, accountId, named)
  const voicemail = await tables.voicemails.find(accountId, named.voicemailId)
  if (voicemail?.owner !== line.id) throw new Problem('voicemail_not_found')
  return voicemail
}

export const faxlineOf = async (
  tables: Tables,
  accountId: string,
  { userId, faxlineId }: { userId: string; faxlineId: string },
): Promise<Faxline> => {
  const faxline = await tables.faxlines.find(accountId, faxlineId)
  if (faxline?.owner !== userId) throw new Problem('faxline_not_found')
  return faxline
}

export const smsLineOf = async (
  tables: Tables,
  accountId: string,
  { userId, smsId }: { userId: string; smsId: string },
): Promise<SmsLine> => {
  const line = await tables.smsLines.find(accountId, smsId)
  if (line?.owner !== userId) throw new Problem('sms_not_found')
  return line
}

export const groupOf = async (tables: Tables, accountId: string, groupId: string): Promise<Group> => {
  const group = await tables.groups.find(accountId, groupId)
  if (!group) throw new Problem('group_not_found')
  return group
}

/** A fax line that belongs to a group and not to a user. */
export const groupFaxlineOf = async (tables: Tables, accountId: string, faxlineId: string): Promise<Faxline> => {
  const faxline = await tables.faxlines.find(accountId, faxlineId)
  if (!faxline?.owner.startsWith('g')) throw new Problem('faxline_not_found')
  return faxline
}
