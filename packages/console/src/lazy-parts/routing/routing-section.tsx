import { Button, Group, Stack } from '@mantine/core'
import type { FormEvent } from 'react'
import { useRead, useWrite } from '#api/use-service.ts'
import { useToast } from '#parts/dialog/toast.tsx'
import { ErrorNotice } from '#parts/form/error-notice.tsx'
import { FormModal } from '#parts/form/form-modal.tsx'
import { useForm } from '#parts/form/use-form.ts'
import { Loaded } from '#parts/page/loaded.tsx'
import { Section } from '#parts/page/section.tsx'
import { text as partsText } from '#parts/text.ts'
import { useFormat } from '#parts/value/use-format.ts'
import { useText } from '#words/use-text.tsx'
import { RoutingFields } from './routing-fields.tsx'
import { routingOf, valuesOf, type Routing } from './routing-form.ts'
import { text } from './text.ts'

interface RoutingOfProps {
  /** A line, group or flow. */
  target: string
  ofFlow?: boolean
  mayChange: boolean
}

/** What becomes of calls while it is closed and when nobody answers. */
export const RoutingSection = (of: RoutingOfProps) => {
  const say = useText(text)
  return (
    <Section title={say.title} description={say.hint}>
      <RoutingOf {...of} />
    </Section>
  )
}

/** The same where something else is around it. */
export const RoutingOf = ({ target, ofFlow = false, mayChange }: RoutingOfProps) => {
  const routing = useRead('getRouting', { target })
  return (
    <Loaded query={routing}>
      {(read) => <RoutingForm key={JSON.stringify(read)} target={target} ofFlow={ofFlow} before={read} disabled={!mayChange} />}
    </Loaded>
  )
}

interface RoutingFormProps {
  target: string
  ofFlow: boolean
  before: Routing
  disabled: boolean
}

const RoutingForm = ({ target, ofFlow, before, disabled }: RoutingFormProps) => {
  const { save } = useText(partsText)
  const { form, write, send } = useRouting(target, before)
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    send()
  }
  return (
    <form noValidate onSubmit={submit}>
      <Stack maw={560}>
        <RoutingFields form={form} before={before} ofFlow={ofFlow} disabled={disabled} error={write.error} />
        <ErrorNotice error={write.error} />
        {!disabled && (
          <Group>
            <Button type="submit" loading={write.isPending} disabled={!form.changed}>
              {save}
            </Button>
          </Group>
        )}
      </Stack>
    </form>
  )
}

const useRouting = (target: string, before: Routing, onDone?: () => void) => {
  const say = useText(text)
  const toast = useToast()
  const write = useWrite('setRouting', {
    refreshes: ['getRouting', 'listSchedules', 'getSchedule'],
    onDone: () => {
      toast.done(say.saved)
      onDone?.()
    },
  })
  const form = useForm(valuesOf(before), write.error)
  return { form, write, send: (): void => write.mutate([{ target }, routingOf(form.values, before)]) }
}

/** The same for a number, which has no page of its own. */
export const RoutingModal = ({ number: { id, number }, onClose }: { number: { id: string; number: string }; onClose: () => void }) => {
  const routing = useRead('getRouting', { target: id })
  return routing.data ? <NumberForm target={id} number={number} before={routing.data} onClose={onClose} /> : null
}

interface NumberFormProps {
  target: string
  number: string
  before: Routing
  onClose: () => void
}

const NumberForm = ({ target, number, before, onClose }: NumberFormProps) => {
  const say = useText(text)
  const { phone } = useFormat()
  const { form, write, send } = useRouting(target, before, onClose)
  return (
    <FormModal opened title={say.ofNumber(phone(number))} onClose={onClose} onSubmit={send} pending={write.isPending} error={write.error}>
      <RoutingFields form={form} before={before} ofFlow={false} disabled={false} error={write.error} />
    </FormModal>
  )
}
