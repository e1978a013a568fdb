import { MultiSelect, Select, Switch, TextInput } from '@mantine/core'
import { scopedPermissions } from '@offhook/contract/restrictions.ts'
import { useState } from 'react'
import { useMe } from '#api/use-me.ts'
import { useRead, useWrite, type OutputOf } from '#api/use-service.ts'
import { useToast } from '#parts/dialog/toast.tsx'
import { FormModal } from '#parts/form/form-modal.tsx'
import { fieldProblem, useForm } from '#parts/form/use-form.ts'
import { useText } from '#words/use-text.tsx'
import { fullName, selectable } from '#lazy-parts/people.ts'
import { text as accountText } from '../parts/text.ts'
import { text } from './text.ts'

export type Role = OutputOf<'listRoles'>['items'][number]

interface RoleFormProps {
  /** Undefined: a new one. */
  role: Role | undefined
  onClose: () => void
}

const noScope = { groups: [], lines: [], assistants: [] }

/** Name and scope of a role; its permissions are ticked in the table. */
export const RoleForm = ({ role, onClose }: RoleFormProps) => {
  const say = useText(text)
  const { saved } = useText(accountText)
  const toast = useToast()
  const done = (): void => {
    toast.done(saved)
    onClose()
  }
  const create = useWrite('createRole', { refreshes: ['listRoles'], onDone: done })
  const change = useWrite('changeRole', { refreshes: ['listRoles'], onDone: done })
  const error = create.error ?? change.error
  const form = useForm({ name: role?.name ?? '', limited: (role?.scope ?? null) !== null, ...(role?.scope ?? noScope) }, error)
  const { name, limited, ...scope } = form.values
  const submit = (): void => {
    const permissions = (role?.permissions ?? []).filter((one) => !limited || scopedPermissions.includes(one))
    const input = { name, permissions, scope: limited ? scope : null }
    if (role) change.mutate([{ roleId: role.id }, input])
    else create.mutate([{}, input])
  }
  const groups = useRead('listGroups', {}, { when: limited }).data?.items ?? []
  const flows = useRead('listFlows', {}, { when: limited }).data?.items ?? []
  return (
    <FormModal
      opened
      title={role ? say.editTitle(role.name) : say.add}
      onClose={onClose}
      onSubmit={submit}
      pending={create.isPending || change.isPending}
      error={error}
    >
      <TextInput label={say.name} required maxLength={100} data-autofocus {...form.text('name')} />
      <Switch label={say.limited} description={say.limitedHint} {...form.tick('limited')} />
      {limited && (
        <>
          <MultiSelect
            searchable
            label={say.groups}
            data={groups.map(({ id, alias }) => ({ value: id, label: alias }))}
            value={scope.groups}
            onChange={(ids) => form.set('groups', ids)}
            error={fieldProblem(error, 'scope')}
          />
          <LineSelect value={scope.lines} onChange={(ids) => form.set('lines', ids)} />
          <MultiSelect
            searchable
            label={say.assistants}
            data={flows.map(({ id, name: label }) => ({ value: id, label }))}
            value={scope.assistants}
            onChange={(ids) => form.set('assistants', ids)}
          />
        </>
      )}
    </FormModal>
  )
}

interface LineSelectProps {
  value: string[]
  onChange: (ids: string[]) => void
}

/** Lines are listed by their owner: an account may have thousands. */
const LineSelect = ({ value, onChange }: LineSelectProps) => {
  const say = useText(text)
  const me = useMe()?.id
  const [chosen, setChosen] = useState<string>()
  const userId = chosen ?? me ?? ''
  const users = selectable(useRead('listUsers').data?.items ?? [])
  const lines = useRead('listPhonelines', { userId }, { when: userId !== '' }).data?.items ?? []
  const others = value.filter((id) => !lines.some((line) => line.id === id))
  return (
    <>
      <Select
        label={say.linesOf}
        data={users.map((user) => ({ value: user.id, label: fullName(user) }))}
        value={userId}
        onChange={(id) => setChosen(id ?? undefined)}
        allowDeselect={false}
        searchable={users.length > 8}
      />
      <MultiSelect
        searchable
        label={say.lines}
        data={[
          ...lines.map(({ id, alias }) => ({ value: id, label: `${alias} (${id})` })),
          ...others.map((id) => ({ value: id, label: id })),
        ]}
        value={value}
        onChange={onChange}
      />
    </>
  )
}
