import { NumberInput, Select, Switch, TextInput } from '@mantine/core'
import type { OutputOf } from '#api/use-service.ts'
import { fieldProblem, type Form } from '#parts/form/use-form.ts'
import { useText } from '#words/use-text.tsx'
import type { Person } from '#lazy-parts/people.ts'
import { MemberList } from './member-list.tsx'
import { text } from './text.ts'

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

export interface GroupFieldsProps {
  form: Form<GroupValues>
  /** Of the account. */
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
