import { Button, Group, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useWrite, type OutputOf } from '#api/use-service.ts'
import { useConfirm } from '#parts/dialog/confirm.tsx'
import { Section } from '#parts/page/section.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { useText } from '#words/use-text.tsx'
import { wordFor } from '../parts/word-for.ts'
import { text } from './text.ts'
import { FormModal } from '#parts/form/form-modal.tsx'
import { useForm } from '#parts/form/use-form.ts'

/** The operator's possible steps. Steps without input need only a confirmation. */
export const NextSteps = ({ porting }: { porting: Porting }) => {
  const say = useText(text)
  const confirm = useConfirm()
  const toast = useToast()
  const [open, setOpen] = useState<Step | 'date'>()
  const portingId = String(porting.id)
  const apply = useWrite('applyPortingEvent', { refreshes, onDone: () => toast.done(say.applied) })
  const choose = async (step: Step): Promise<void> => {
    if (step.needs.length > 0) return setOpen(step)
    const { event } = step
    if (await confirm({ title: say.applyTitle(wordFor(say.events, event)), body: say.applyBody, confirm: say.apply, danger: false }))
      apply.mutate([{ portingId }, { event }], { onError: toast.failed })
    return undefined
  }
  const mayAskDate = porting.direction === 'IN' && porting.status === 400 && porting.carrier !== undefined && !porting.cancelRequested
  return (
    <Section title={say.next} description={say.nextHint}>
      {porting.possible.length === 0 && (
        <Text size="sm" c="dimmed">
          {say.nothingNext}
        </Text>
      )}
      <Group gap="xs">
        {porting.possible.map((step) => (
          <Button
            key={step.event}
            variant="default"
            h="auto"
            py={8}
            styles={{ label: { whiteSpace: 'normal' } }}
            loading={apply.isPending}
            onClick={() => void choose(step)}
          >
            {wordFor(say.events, step.event)}
          </Button>
        ))}
        {mayAskDate && (
          <Button variant="light" size="sm" onClick={() => setOpen('date')}>
            {say.askDate}
          </Button>
        )}
      </Group>
      {open === 'date' && <AskDate portingId={portingId} onClose={() => setOpen(undefined)} />}
      {open !== undefined && open !== 'date' && <StepForm portingId={portingId} step={open} onClose={() => setOpen(undefined)} />}
    </Section>
  )
}

type Porting = OutputOf<'readPorting'>

type Step = Porting['possible'][number]

const refreshes = ['readPorting', 'listAllPortings'] as const

const StepForm = ({ portingId, step: { event, needs }, onClose }: { portingId: string; step: Step; onClose: () => void }) => {
  const say = useText(text)
  const toast = useToast()
  const apply = useWrite('applyPortingEvent', {
    refreshes,
    onDone: () => {
      toast.done(say.applied)
      onClose()
    },
  })
  const form = useForm({ portDate: '', codes: '' }, apply.error)
  const { portDate, codes } = form.values
  const listed = codes.split(/[\s,]+/).filter((code) => code !== '')
  const submit = (): void =>
    apply.mutate([{ portingId }, { event, ...(portDate !== '' && { portDate }), ...(listed.length > 0 && { codes: listed }) }])
  return (
    <FormModal
      opened
      title={wordFor(say.events, event)}
      onClose={onClose}
      onSubmit={submit}
      submit={say.apply}
      pending={apply.isPending}
      error={apply.error}
    >
      {needs.includes('portDate') && <TextInput type="date" label={say.portDate} required {...form.text('portDate')} />}
      {needs.includes('codes') && <TextInput label={say.codes} description={say.codesHint} required {...form.text('codes')} />}
    </FormModal>
  )
}

const AskDate = ({ portingId, onClose }: { portingId: string; onClose: () => void }) => {
  const say = useText(text)
  const toast = useToast()
  const ask = useWrite('movePortingDate', {
    refreshes,
    onDone: () => {
      toast.done(say.dateAsked)
      onClose()
    },
  })
  const form = useForm({ portDate: '' }, ask.error)
  return (
    <FormModal
      opened
      title={say.askDate}
      onClose={onClose}
      onSubmit={() => ask.mutate([{ portingId }, form.values])}
      submit={say.askDate}
      pending={ask.isPending}
      error={ask.error}
    >
      <TextInput type="date" label={say.date} required {...form.text('portDate')} />
    </FormModal>
  )
}
