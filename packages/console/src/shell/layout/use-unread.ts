import { useMay } from '#api/use-may.ts'
import { useRead, type InputOf } from '#api/use-service.ts'
import type { MenuName } from '#parts/page/page-entry.ts'

/** Nothing of them is drawn, only how many there are. */
const unread: InputOf<'listOwnHistory'>[0] = { read: false, directions: ['INCOMING', 'MISSED_INCOMING'], limit: 1 }

/** How many messages nobody has heard or read, by the entry of the menu where they are. */
export const useUnread = (isUser: boolean): Partial<Record<MenuName, number>> => {
  const may = useMay()
  const look = { every: 15_000, when: isUser && may('CAN_GET_HISTORY') }
  const voicemails = useRead('listOwnHistory', { ...unread, types: ['VOICEMAIL'] }, look)
  const messages = useRead('listOwnHistory', { ...unread, types: ['SMS', 'FAX'] }, look)
  return { calls: voicemails.data?.totalCount ?? 0, messages: messages.data?.totalCount ?? 0 }
}
