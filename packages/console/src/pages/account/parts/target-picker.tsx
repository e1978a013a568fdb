import { Select, Text } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { useRead } from '#api/use-service.ts'
import { useText } from '#words/use-text.tsx'
import { type EndpointKind, kindOf, ownerIn } from './endpoints.ts'
import { fullName, selectable } from '#lazy-parts/people.ts'
import { text } from './text.ts'
import { useMe } from '#api/use-me.ts'
import { useQueries } from '@tanstack/react-query'
import { api } from '#api/client.ts'

interface TargetPickerProps {
  target: Target
  kinds: readonly EndpointKind[]
  /** Allows an empty destination. */
  nowhere?: boolean
  error?: ReactNode
}

const nothing = 'nowhere'

/** The fields of a `Target`: kind, user, element. */
export const TargetPicker = ({ target, kinds, nowhere: unspecified = false, error }: TargetPickerProps) => {
  const say = useText(text)
  const { kind, choices } = target
  return (
    <>
      <Select
        label={say.leadsTo}
        data={[
          ...(unspecified ? [{ value: nothing, label: say.nowhere }] : []),
          ...kinds.map((one) => ({ value: one, label: say.kinds[one] })),
        ]}
        value={kind ?? nothing}
        onChange={(chosen) => target.setKind(kinds.find((one) => one === chosen))}
        allowDeselect={false}
        error={kind === undefined ? error : undefined}
      />
      {target.userId !== undefined && <OwnerSelect userId={target.userId} onChoose={target.setUser} />}
      {kind !== undefined && choices?.length === 0 && (
        <Text size="sm" c="dimmed">
          {say.noneThere}
        </Text>
      )}
      {kind !== undefined && choices?.length !== 0 && (
        <Select
          label={say.which}
          data={(choices ?? []).map(({ id, alias }) => ({ value: id, label: alias }))}
          value={target.endpointId}
          onChange={(chosen) => chosen !== null && target.setEndpoint(chosen)}
          allowDeselect={false}
          searchable={(choices?.length ?? 0) > 8}
          disabled={choices === undefined}
          error={error}
        />
      )}
    </>
  )
}

const OwnerSelect = ({ userId, onChoose }: { userId: string; onChoose: (userId: string) => void }) => {
  const say = useText(text)
  const users = selectable(useRead('listUsers').data?.items ?? [], [userId])
  if (users.length < 2) return null
  return (
    <Select
      label={say.user}
      data={users.map((user) => ({ value: user.id, label: fullName(user) }))}
      value={userId}
      onChange={(chosen) => chosen !== null && onChoose(chosen)}
      allowDeselect={false}
      searchable={users.length > 8}
    />
  )
}

export interface Target {
  kind: EndpointKind | undefined
  userId: string | undefined
  /** The chosen id; empty for none, or if there is no choice. */
  endpointId: string
  choices: readonly Choice[] | undefined
  setKind: (kind: EndpointKind | undefined) => void
  setUser: (userId: string) => void
  setEndpoint: (endpointId: string) => void
}

interface Routed {
  endpointId: string
  endpointUrl: string
}

/** A destination chosen step by step: kind, user, element. Preselects the first one. */
export const useTarget = ({ endpointId, endpointUrl }: Routed, usually?: EndpointKind): Target => {
  const me = useMe()?.id
  const [kind, setKind] = useState(kindOf(endpointId) ?? usually)
  const [owner, setUser] = useState(ownerIn(endpointUrl))
  const [chosen, setEndpoint] = useState(endpointId)
  const userId = owner ?? me
  const choices = useEndpoints(kind, userId)
  const known = choices?.some(({ id }) => id === chosen)
  return {
    kind,
    userId: kind !== undefined && belongsToUser(kind) ? userId : undefined,
    endpointId: known ? chosen : (choices?.[0]?.id ?? ''),
    choices,
    setKind,
    setUser,
    setEndpoint,
  }
}

export interface Choice {
  id: string
  alias: string
}

/** Kinds owned by one user; groups and flows belong to the account. */
const belongsToUser = (kind: EndpointKind): boolean => kind !== 'group' && kind !== 'flow'

/** Possible destinations of one kind; for kinds owned by users only those of one user. Undefined while loading. */
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

/** Voicemails are requested per line. */
const useVoicemails = (lines: readonly Choice[] | undefined, userId: string): readonly Choice[] | undefined => {
  const found = useQueries({
    queries: (lines ?? []).map(({ id: phonelineId }) => ({
      queryKey: ['listPhonelineVoicemails', { userId, phonelineId }],
      queryFn: () => api.listPhonelineVoicemails({ userId, phonelineId }),
    })),
  })
  return lines === undefined || found.some(({ isPending }) => isPending) ? undefined : found.flatMap(({ data }) => data?.items ?? [])
}
