import { useMay } from '#api/use-may.ts'
import { useRead } from '#api/use-service.ts'
import type { MenuName } from '#parts/page/page-entry.ts'

const looked = 100

/** How many of the newest messages nobody has heard or read, by the entry of the menu where they are. */
export const useUnread = (isUser: boolean): Partial<Record<MenuName, number>> => {
  const may = useMay()
  const { data } = useRead(
    'listOwnHistory',
    { types: ['VOICEMAIL', 'SMS', 'FAX'], limit: looked },
    { every: 15_000, when: isUser && may('CAN_GET_HISTORY') },
  )
  const unread = data?.items.filter(({ incoming, read }) => incoming && !read) ?? []
  const calls = unread.filter(({ type }) => type === 'VOICEMAIL').length
  return { calls, messages: unread.length - calls }
}
