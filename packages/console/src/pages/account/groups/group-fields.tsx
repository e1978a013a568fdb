import { NumberInput, Select, Switch, TextInput, ActionIcon, Group, Stack, Text } from '@mantine/core'
import type { OutputOf } from '#api/use-service.ts'
import { fieldProblem, type Form } from '#parts/form/use-form.ts'
import { useText } from '#words/use-text.tsx'
import { type Person, fullName, selectable } from '#lazy-parts/people.ts'
import { text } from './text.ts'
import type { ReactNode } from 'react'
import { Icon } from '#parts/icon/icon.tsx'
import classes from './member-list.module.css'

export type GroupSettings = OutputOf<'getGroup'>

export interface GroupValues {
  alias: string
  strategy: GroupSettings['strategy']
  ringSeconds: number | string
  members: string[]
  faxline: boolean
}

export const freshGroup: GroupValues = { alias: '', strategy: 'PARALLEL', ringSeconds: 30, members: [], faxline: false }

const strategies = ['PARALLEL', 'LINEAR', 'ROUND_ROBIN', 'LONGEST_IDLE'] as const

interface GroupFieldsProps {
  form: Form<GroupValues>
  /** Users of the account. */
  users: readonly Person[]
  error: unknown
}

export const GroupFields = ({ form, users, error }: GroupFieldsProps) => {
  const say = useText(text)
  const choose = (chosen: string | null): void => form.set('strategy', strategies.find((strategy) => strategy === chosen) ?? 'PARALLEL')
  return (
    <>
      <TextInput label={say.name} placeholder={say.nameHint} required maxLength={100} data-autofocus {...form.text('alias')} />
      <Select
        label={say.strategy}
        data={strategies.map((strategy) => ({ value: strategy, label: say.strategies[strategy] }))}
        value={form.values.strategy}
        onChange={choose}
        allowDeselect={false}
        error={fieldProblem(error, 'strategy')}
      />
      <NumberInput
        label={say.ringSeconds}
        description={say.ringSecondsHint}
        min={5}
        max={300}
        allowDecimal={false}
        value={form.values.ringSeconds}
        onChange={(value) => form.set('ringSeconds', value)}
        error={fieldProblem(error, 'ringSeconds')}
      />
      <MemberList
        users={users}
        members={form.values.members}
        onChange={(members) => form.set('members', members)}
        error={fieldProblem(error, 'members')}
      />
      <Switch label={say.faxline} {...form.tick('faxline')} />
    </>
  )
}

interface MemberListProps {
  /** Users of the account. */
  users: readonly Person[]
  /** Their ids. */
  members: readonly string[]
  onChange: (members: string[]) => void
  error?: ReactNode
}

/** Members of a group, in calling order. */
const MemberList = ({ users, members, onChange, error }: MemberListProps) => {
  const say = useText(text)
  const nameOf = (id: string): string => {
    const user = users.find((one) => one.id === id)
    return user ? fullName(user) : id
  }
  const others = selectable(users).filter(({ id }) => !members.includes(id))
  return (
    <Stack gap="xs">
      <div>
        <Text size="sm" fw={550}>
          {say.members}
        </Text>
        <Text size="xs" c="dimmed">
          {members.length === 0 ? say.noMembers : say.membersHint}
        </Text>
      </div>
      {members.length > 0 && (
        <ol className={classes.list}>
          {members.map((id, place) => (
            <Member key={id} name={nameOf(id)} place={place} members={members} onChange={onChange} />
          ))}
        </ol>
      )}
      {others.length > 0 && (
        <Select
          aria-label={say.addMember}
          placeholder={say.addMember}
          data={others.map((user) => ({ value: user.id, label: fullName(user) }))}
          value={null}
          onChange={(id) => id !== null && onChange([...members, id])}
          searchable={others.length > 8}
          error={error}
        />
      )}
    </Stack>
  )
}

interface MemberProps {
  name: string
  place: number
  members: readonly string[]
  onChange: (members: string[]) => void
}

const Member = ({ name, place, members, onChange }: MemberProps) => {
  const say = useText(text)
  const id = members[place] ?? ''
  const without = members.toSpliced(place, 1)
  const moveTo = (to: number): void => onChange(without.toSpliced(to, 0, id))
  const button = { variant: 'subtle', color: 'gray' } as const
  return (
    <li>
      <Group gap={2} wrap="nowrap" className={classes.member}>
        <Text size="sm" flex={1}>
          {name}
        </Text>
        <ActionIcon {...button} aria-label={say.earlier(name)} disabled={place === 0} onClick={() => moveTo(place - 1)}>
          <Icon name="arrowUp" size={16} />
        </ActionIcon>
        <ActionIcon {...button} aria-label={say.later(name)} disabled={place === members.length - 1} onClick={() => moveTo(place + 1)}>
          <Icon name="arrowDown" size={16} />
        </ActionIcon>
        <ActionIcon {...button} aria-label={say.remove(name)} onClick={() => onChange(without)}>
          <Icon name="x" size={16} />
        </ActionIcon>
      </Group>
    </li>
  )
}
