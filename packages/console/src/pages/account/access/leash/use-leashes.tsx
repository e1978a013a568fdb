import { Text, Button, Group, Stack, MultiSelect, NumberInput, SimpleGrid, Switch, TagsInput, TextInput } from '@mantine/core'
import { useState, type ReactNode } from 'react'
import { useRead, useWrite } from '#api/use-service.ts'
import type { MenuAction } from '#parts/table/row-menu.tsx'
import { useText } from '#words/use-text.tsx'
import { text } from './text.ts'
import { useMay } from '#api/use-may.ts'
import { useConfirm } from '#parts/dialog/confirm.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { FormModal } from '#parts/form/form-modal.tsx'
import { useForm, type Form } from '#parts/form/use-form.ts'
import { useFormat } from '#parts/value/use-format.ts'
import { toolNames } from '@offhook/contract/tools.ts'
import { MoneyInput } from '#lazy-parts/money-input.tsx'
import { type Leash, weekdays, type LeashForm, formOf, rulesOf } from './leash-form.ts'

export interface UsedLeashes {
  /** Summary of a leash, for a table cell. */
  cell: (leashId: string) => ReactNode
  /** Opens the form. */
  action: (holder: Holder) => MenuAction
  /** The form, while open. */
  modal: ReactNode
}

/** Leashes of tokens and apps. */
export const useLeashes = (): UsedLeashes => {
  const say = useText(text)
  const leashes = useRead('listLeashes')
  const [holder, setHolder] = useState<Holder>()
  const leashOf = (leashId: string): Leash | undefined => leashes.data?.items.find((leash) => leash.leashId === leashId)
  return {
    cell: (leashId) => leashes.data && <Summary leash={leashOf(leashId)} />,
    action: (who) => ({ label: say.open, icon: 'shield', disabled: leashes.data === undefined, onClick: () => setHolder(who) }),
    modal: holder && <LeashModal holder={holder} leash={leashOf(holder.leashId)} onClose={() => setHolder(undefined)} />,
  }
}

const Summary = ({ leash }: { leash: Leash | undefined }) => {
  const say = useText(text)
  if (!leash)
    return (
      <Text span inherit c="dimmed">
        {say.none}
      </Text>
    )
  const { allowedNumbers, hours, callsPerDay, smsPerDay, confirm, used } = leash
  const { summary } = say
  const parts = [
    allowedNumbers && (allowedNumbers.length === 0 ? summary.nobody : summary.numbers(allowedNumbers.length)),
    callsPerDay !== undefined && summary.calls(used.calls, callsPerDay),
    smsPerDay !== undefined && summary.sms(used.sms, smsPerDay),
    hours && summary.hours(hours.from, hours.to),
    confirm === 'client' && summary.confirms,
  ].filter(Boolean)
  return parts.length === 0 ? summary.loose : parts.join(' · ')
}

/** The leash holder: a personal token or a connected app. */
interface Holder {
  leashId: string
  name: string
}

interface LeashModalProps {
  holder: Holder
  /** Undefined: it has none yet. */
  leash: Leash | undefined
  onClose: () => void
}

const refreshes = ['listLeashes'] as const

/** Limits of a program that acts for a person. */
const LeashModal = ({ holder: { leashId, name }, leash, onClose }: LeashModalProps) => {
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

interface FieldsProps {
  form: Form<LeashForm>
}

const NumberFields = ({ form }: FieldsProps) => {
  const say = useText(text)
  return (
    <>
      <Switch label={say.onlyNumbers} {...form.tick('onlyNumbers')} />
      {form.values.onlyNumbers && (
        <TagsInput label={say.numbers} description={say.numbersHint} acceptValueOnBlur maxTags={500} {...form.value('allowedNumbers')} />
      )}
    </>
  )
}

const LimitFields = ({ form, currency }: FieldsProps & { currency: string }) => {
  const say = useText(text)
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <NumberInput label={say.callsPerDay} description={say.perDayHint} min={0} max={1_000_000} {...form.value('callsPerDay')} />
        <NumberInput label={say.smsPerDay} description={say.perDayHint} min={0} max={1_000_000} {...form.value('smsPerDay')} />
      </SimpleGrid>
      <MoneyInput
        label={say.maxSpend}
        description={say.maxSpendHint}
        currency={currency}
        value={form.values.maxSpend}
        onChange={(amount) => form.set('maxSpend', amount)}
        error={form.value('maxSpend').error}
      />
      <Switch label={say.confirms} description={say.confirmsHint} {...form.tick('confirms')} />
    </>
  )
}

const HourFields = ({ form }: FieldsProps) => {
  const say = useText(text)
  return (
    <>
      <Switch label={say.onlyHours} {...form.tick('onlyHours')} />
      {form.values.onlyHours && (
        <>
          <MultiSelect
            label={say.weekdays}
            description={say.weekdaysHint}
            data={weekdays.map((value) => ({ value, label: say.weekday[value] }))}
            clearable
            {...form.value('hours/weekdays')}
          />
          <Group align="start">
            <TextInput label={say.from} placeholder="08:00" maxLength={5} {...form.text('hours/from')} />
            <TextInput label={say.to} placeholder="20:00" maxLength={5} {...form.text('hours/to')} />
          </Group>
          <TextInput label={say.timeZone} description={say.timeZoneHint} maxLength={64} {...form.text('hours/timeZone')} />
        </>
      )}
    </>
  )
}

const ToolFields = ({ form }: FieldsProps) => {
  const say = useText(text)
  return (
    <MultiSelect
      label={say.tools}
      description={say.toolsHint}
      data={toolNames.map((value) => ({ value, label: say.tool[value] }))}
      searchable
      clearable
      {...form.value('tools')}
    />
  )
}
