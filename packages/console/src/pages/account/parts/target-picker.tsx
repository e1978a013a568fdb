import { Select, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useRead } from '#api/use-service.ts'
import { useText } from '#words/use-text.tsx'
import type { EndpointKind } from './endpoints.ts'
import { fullName, selectable } from '#lazy-parts/people.ts'
import { text } from './text.ts'
import type { Target } from './use-target.ts'

export interface TargetPickerProps {
  target: Target
  kinds: readonly EndpointKind[]
  /** Whether it may also lead nowhere. */
  nowhere?: boolean
  error?: ReactNode
}

const nothing = 'nowhere'

/** The fields for a `Target`: what it is, whose, which one. */
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
