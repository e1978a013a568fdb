import { Button, Group, Stack, Text } from '@mantine/core'
import { useMay } from '#api/use-may.ts'
import { useRead, useWrite } from '#api/use-service.ts'
import { useConfirm } from '#parts/dialog/confirm.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { FormModal } from '#parts/form/form-modal.tsx'
import { useForm } from '#parts/form/use-form.ts'
import { useFormat } from '#parts/value/use-format.ts'
import { useText } from '#words/use-text.tsx'
import { formOf, rulesOf, type Leash } from './leash-form.ts'
import { HourFields, LimitFields, NumberFields, ToolFields } from './leash-fields.tsx'
import { text } from './text.ts'

/** Who is held: a personal token or a connected app. */
export interface Holder {
  leashId: string
  name: string
}

interface LeashModalProps {
  holder: Holder
  /** Missing: it has none yet. */
  leash: Leash | undefined
  onClose: () => void
}

const refreshes = ['listLeashes'] as const

/** How far a program that acts for a person may go. */
export const LeashModal = ({ holder: { leashId, name }, leash, onClose }: LeashModalProps) => {
  const say = useText(text)
  const toast = useToast()
  const done = (): void => {
    toast.done(say.saved)
    onClose()
  }
  const set = useWrite('setLeash', { refreshes, onDone: done })
  const form = useForm(formOf(leash), set.error)
  const may = useMay()
  const currency = useRead('getBalance', {}, { when: may('CAN_GET_ACCOUNT_BALANCE') }).data?.currency ?? ''
  return (
    <FormModal
      opened
      size="lg"
      title={say.title(name)}
      submit={say.save}
      onClose={onClose}
      onSubmit={() => set.mutate([{ leashId }, rulesOf(form.values)])}
      pending={set.isPending}
      error={set.error}
    >
      <Text size="sm" c="dimmed">
        {say.about}
      </Text>
      {leash && <UsedToday leash={leash} currency={currency} />}
      <Stack>
        <NumberFields form={form} />
        <LimitFields form={form} currency={currency} />
        <HourFields form={form} />
        <ToolFields form={form} />
      </Stack>
      {leash && <TakeOff leashId={leashId} name={name} onDone={onClose} />}
    </FormModal>
  )
}

const UsedToday = ({ leash: { used }, currency }: { leash: Leash; currency: string }) => {
  const say = useText(text)
  const { money } = useFormat()
  return (
    <Text size="sm">
      {say.usedToday}: {say.used(used.calls, used.sms, currency === '' ? `${used.spent}` : money(used.spent, currency))}
    </Text>
  )
}

const TakeOff = ({ leashId, name, onDone }: { leashId: string; name: string; onDone: () => void }) => {
  const say = useText(text)
  const toast = useToast()
  const confirm = useConfirm()
  const remove = useWrite('removeLeash', {
    refreshes,
    onDone: () => {
      toast.done(say.removed)
      onDone()
    },
  })
  const ask = async (): Promise<void> => {
    if (await confirm({ title: say.removeTitle(name), body: say.removeBody, confirm: say.remove, danger: true }))
      remove.mutate([{ leashId }], { onError: toast.failed })
  }
  return (
    <Group>
      <Button variant="light" color="red" size="xs" loading={remove.isPending} onClick={() => void ask()}>
        {say.remove}
      </Button>
    </Group>
  )
}
