import { useRead, useWrite, type OutputOf } from '#api/use-service.ts'
import { FormModal } from '#parts/form/form-modal.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { useForm } from '#parts/form/use-form.ts'
import { useText } from '#words/use-text.tsx'
import { freshGroup, GroupFields, type GroupValues } from '#pages/account/groups/group-fields.tsx'
import { text as groupText } from '#pages/account/groups/text.ts'
import { text as sharedText } from '../parts/text.ts'

export type PhoneGroup = OutputOf<'listAccountGroups'>['items'][number]

export const GroupForm = ({ accountId, group, onClose }: { accountId: string; group?: PhoneGroup; onClose: () => void }) => {
  const say = useText(groupText)
  const { saved } = useText(sharedText)
  const toast = useToast()
  const users = useRead('listAccountUsers', { accountId })
  const done = (words: string) => () => {
    toast.done(words)
    onClose()
  }
  const refreshes = ['listAccountGroups'] as const
  const create = useWrite('createAccountGroup', { refreshes, onDone: done(say.created) })
  const change = useWrite('changeAccountGroup', { refreshes, onDone: done(saved) })
  const { error, isPending } = group ? change : create
  const form = useForm<GroupValues>(group ? valuesOf(group) : freshGroup, error)
  const submit = (): void => {
    const body = { ...form.values, ringSeconds: Number(form.values.ringSeconds) }
    if (group) change.mutate([{ accountId, groupId: group.id }, body])
    else create.mutate([{}, { accountId, ...body }])
  }
  return (
    <FormModal
      opened
      title={group?.alias ?? say.addTitle}
      {...(!group && { submit: say.add })}
      onClose={onClose}
      onSubmit={submit}
      pending={isPending}
      error={error}
    >
      <GroupFields form={form} users={users.data?.items ?? []} error={error} />
    </FormModal>
  )
}

const valuesOf = ({ alias, strategy, ringSeconds, members, faxline }: PhoneGroup): GroupValues => ({
  alias,
  strategy,
  ringSeconds,
  members,
  faxline,
})
