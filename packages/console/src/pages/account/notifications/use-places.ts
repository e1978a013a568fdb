import { useQueries } from '@tanstack/react-query'
import { api } from '#api/client.ts'
import { useRead, type InputOf } from '#api/use-service.ts'
import { useEndpoints, type Choice } from '../parts/target-picker.tsx'

export type NotificationType = InputOf<'createNotification'>[1]['type']

/** Places of a user's events: the user's own, and those of their groups. */
type Places = Record<NotificationType, readonly Choice[]>

/** Undefined while loading. Voicemails are named by their line or group: that is the name people know. */
export const usePlaces = (userId: string): Places | undefined => {
  const lines = useRead('listPhonelines', { userId }).data?.items
  const faxes = useRead('listFaxlines', { userId }).data?.items
  const sms = useRead('listSms', { userId }).data?.items
  const groups = useGroupsOf(userId)
  const groupFaxes = useQueries({
    queries: (groups ?? []).map(({ id: groupId }) => ({
      queryKey: ['listGroupFaxlines', { groupId }],
      queryFn: () => api.listGroupFaxlines({ groupId }),
    })),
  })
  if (!lines || !faxes || !sms || !groups) return undefined
  const reached = [...lines, ...groups]
  return { VOICEMAIL: reached, CALL: reached, FAX: [...faxes, ...groupFaxes.flatMap(({ data }) => data?.items ?? [])], SMS: sms }
}

/** Only the details of a group list its members. */
const useGroupsOf = (userId: string): readonly Choice[] | undefined => {
  const groups = useRead('listGroups').data?.items
  const found = useQueries({
    queries: (groups ?? []).map(({ id: groupId }) => ({ queryKey: ['getGroup', { groupId }], queryFn: () => api.getGroup({ groupId }) })),
  })
  if (!groups || found.some(({ isPending }) => isPending)) return undefined
  return found.flatMap(({ data }) => (data?.members.includes(userId) === true ? [data] : []))
}

/** Name of an extension, also of a voicemail by its own id; unknown ones are shown by id. */
export const usePlaceName = (userId: string): ((endpointId: string) => string) => {
  const places = usePlaces(userId)
  const voicemails = useEndpoints('voicemail', userId) ?? []
  const all = [...Object.values(places ?? {}).flat(), ...voicemails]
  return (endpointId) => all.find(({ id }) => id === endpointId)?.alias ?? endpointId
}
