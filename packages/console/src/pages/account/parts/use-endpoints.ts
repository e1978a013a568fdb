import { useQueries } from '@tanstack/react-query'
import { api } from '#api/client.ts'
import { useRead } from '#api/use-service.ts'
import type { EndpointKind } from './endpoints.ts'

export interface Choice {
  id: string
  alias: string
}

/** What belongs to one user; groups and flows belong to the account. */
export const belongsToUser = (kind: EndpointKind): boolean => kind !== 'group' && kind !== 'flow'

/** Everything of one kind that a number could lead to; of one user, where it belongs to users. Undefined while it is read. */
export const useEndpoints = (kind: EndpointKind | undefined, userId: string | undefined): readonly Choice[] | undefined => {
  const owned = { userId: userId ?? '' }
  const of = (wanted: EndpointKind): boolean => kind === wanted && (!belongsToUser(wanted) || userId !== undefined)
  const lines = useRead('listPhonelines', owned, { when: of('line') || of('voicemail') }).data?.items
  const faxes = useRead('listFaxlines', owned, { when: of('fax') }).data?.items
  const sms = useRead('listSms', owned, { when: of('sms') }).data?.items
  const groups = useRead('listGroups', {}, { when: of('group') }).data?.items
  const flows = useRead('listFlows', {}, { when: of('flow') }).data?.items
  const voicemails = useVoicemails(of('voicemail') ? lines : undefined, userId ?? '')
  if (kind === undefined) return []
  return { line: lines, fax: faxes, sms, group: groups, voicemail: voicemails, flow: flows?.map(({ id, name }) => ({ id, alias: name })) }[
    kind
  ]
}

/** Voicemails are asked for line by line. */
const useVoicemails = (lines: readonly Choice[] | undefined, userId: string): readonly Choice[] | undefined => {
  const found = useQueries({
    queries: (lines ?? []).map(({ id: phonelineId }) => ({
      queryKey: ['listPhonelineVoicemails', { userId, phonelineId }],
      queryFn: () => api.listPhonelineVoicemails({ userId, phonelineId }),
    })),
  })
  return lines === undefined || found.some(({ isPending }) => isPending) ? undefined : found.flatMap(({ data }) => data?.items ?? [])
}
