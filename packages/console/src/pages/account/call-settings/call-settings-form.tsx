import { Button, Group, MultiSelect, Radio, Stack, Switch } from '@mantine/core'
import type { ReactNode } from 'react'
import { useWrite, type OutputOf } from '#api/use-service.ts'
import { ErrorNotice } from '#parts/form/error-notice.tsx'
import { text as partsText } from '#parts/text.ts'
import { useToast } from '#parts/dialog/toast.tsx'
import { fieldProblem, useForm, type Form } from '#parts/form/use-form.ts'
import { useText } from '#words/use-text.tsx'
import { CallAddresses } from '../parts/call-addresses.tsx'
import { text as accountText } from '../parts/text.ts'
import { text } from './text.ts'
import { useDescribable } from './use-tellable.ts'

export type CallSettings = OutputOf<'getSvcio'>

export const CallSettingsForm = ({ settings }: { settings: CallSettings }) => {
  const { saved } = useText(accountText)
  const { save } = useText(partsText)
  const say = useText(text)
  const toast = useToast()
  const change = useWrite('setSvcio', { refreshes: ['getSvcio'], onDone: () => toast.done(saved) })
  const form = useForm(settings, change.error)
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        change.mutate([{}, form.values])
      }}
    >
      <Stack>
        <CallAddresses incoming={form.text('incomingUrl')} outgoing={form.text('outgoingUrl')} whenEmpty={say.whenEmpty} />
        <WhichCalls form={form} problem={fieldProblem(change.error, 'whitelist')} />
        <Switch label={say.log} description={say.logHint} {...form.tick('log')} />
        <ErrorNotice error={change.error} />
        <Group>
          <Button type="submit" loading={change.isPending} disabled={!form.changed}>
            {save}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

const WhichCalls = ({ form, problem }: { form: Form<CallSettings>; problem: ReactNode }) => {
  const say = useText(text)
  const { whitelist } = form.values
  return (
    <>
      <Radio.Group
        label={say.which}
        value={whitelist === null ? 'all' : 'some'}
        onChange={(chosen) => form.set('whitelist', chosen === 'all' ? null : [])}
      >
        <Group mt={6}>
          <Radio value="all" label={say.whichOnes.all} />
          <Radio value="some" label={say.whichOnes.some} />
        </Group>
      </Radio.Group>
      {whitelist !== null && <Chosen ids={whitelist} onChange={(ids) => form.set('whitelist', ids)} problem={problem} />}
    </>
  )
}

interface ChosenProps {
  ids: readonly string[]
  onChange: (ids: string[]) => void
  problem: ReactNode
}

const Chosen = ({ ids, onChange, problem }: ChosenProps) => {
  const say = useText(text)
  const tellable = useDescribable()
  const known = [...(tellable?.lines ?? []), ...(tellable?.groups ?? [])].map(({ value }) => value)
  const unknown = ids.filter((id) => !known.includes(id)).map((id) => ({ value: id, label: id }))
  return (
    <MultiSelect
      label={say.chosen}
      description={say.chosenHint}
      data={[
        { group: say.lines, items: tellable?.lines ?? [] },
        { group: say.groups, items: tellable?.groups ?? [] },
        ...(tellable && unknown.length > 0 ? [{ group: say.gone, items: unknown }] : []),
      ]}
      value={tellable ? [...ids] : []}
      onChange={onChange}
      disabled={!tellable}
      searchable
      clearable
      error={problem}
    />
  )
}
