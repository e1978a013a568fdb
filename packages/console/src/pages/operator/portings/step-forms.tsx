import { TextInput } from '@mantine/core'
import { useWrite, type OutputOf } from '#api/use-service.ts'
import { FormModal } from '#parts/form/form-modal.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { useForm } from '#parts/form/use-form.ts'
import { useText } from '#words/use-text.tsx'
import { wordFor } from '../parts/word-for.ts'
import { text } from './text.ts'

export type Porting = OutputOf<'readPorting'>

export type Step = Porting['possible'][number]

export const refreshes = ['readPorting', 'listAllPortings'] as const

export const StepForm = ({ portingId, step: { event, needs }, onClose }: { portingId: string; step: Step; onClose: () => void }) => {
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

export const AskDate = ({ portingId, onClose }: { portingId: string; onClose: () => void }) => {
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
