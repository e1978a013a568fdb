import { Problem } from '@offhook/contract/problem.ts'
import type { Faxline, Group, Phoneline, SmsLine, Voicemail } from '#core/kernel/ports/store/line.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'

/** Each resource in a path must exist and belong to the one before it; otherwise the answer is 404. */

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

/** A fax line owned by a group. */
export const groupFaxlineOf = async (tables: Tables, accountId: string, faxlineId: string): Promise<Faxline> => {
  const faxline = await tables.faxlines.find(accountId, faxlineId)
  if (!faxline?.owner.startsWith('g')) throw new Problem('faxline_not_found')
  return faxline
}
