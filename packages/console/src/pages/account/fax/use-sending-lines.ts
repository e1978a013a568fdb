import { useQueries } from '@tanstack/react-query'
import { api } from '#api/client.ts'
import { useMay } from '#api/use-may.ts'
import { useMe } from '#api/use-me.ts'
import { useRead, type OutputOf } from '#api/use-service.ts'

export type FaxGroup = OutputOf<'getGroup'>

/** Groups with a fax line; only the details of a group say so. */
export const useFaxGroups = (): readonly FaxGroup[] => {
  const may = useMay()
  const groups = useRead('listGroups', {}, { when: may('CAN_GET_GROUPS') }).data?.items ?? []
  const found = useQueries({
    queries: groups.map(({ id: groupId }) => ({ queryKey: ['getGroup', { groupId }], queryFn: () => api.getGroup({ groupId }) })),
  })
  return found.flatMap(({ data }) => (data?.faxline === true ? [data] : []))
}

export interface SendingLine {
  id: string
  alias: string
}

/** Fax lines that the user may send from: their own, and those of their groups. Undefined while loading. */
export const useSendingLines = (): readonly SendingLine[] | undefined => {
  const userId = useMe()?.id
  const own = useRead('listFaxlines', { userId: userId ?? '' }, { when: userId !== undefined }).data?.items
  const groups = useFaxGroups().filter(({ members }) => userId !== undefined && members.includes(userId))
  const ofGroups = useQueries({
    queries: groups.map(({ id: groupId }) => ({
      queryKey: ['listGroupFaxlines', { groupId }],
      queryFn: () => api.listGroupFaxlines({ groupId }),
    })),
  })
  return own && [...own.filter(({ canSend }) => canSend), ...ofGroups.flatMap(({ data }) => data?.items ?? [])]
}
