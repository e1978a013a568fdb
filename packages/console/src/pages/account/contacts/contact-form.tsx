import { Switch, TagsInput, TextInput } from '@mantine/core'
import { useWrite, type OutputOf } from '#api/use-service.ts'
import { FormModal } from '#parts/form/form-modal.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { fieldProblem, useForm } from '#parts/form/use-form.ts'
import { useText } from '#words/use-text.tsx'
import { text as accountText } from '../parts/text.ts'
import { text } from './text.ts'

export type Contact = OutputOf<'listContacts'>['items'][number]

const refreshes = ['listContacts', 'listHistory', 'listCalls'] as const

interface ContactFormProps {
  contact?: Contact
  /** Initial number of a new contact. */
  number?: string
  onClose: () => void
}

/** Form for a new or an existing contact. */
export const ContactForm = ({ contact, number, onClose }: ContactFormProps) => {
  const say = useText(text)
  const { saved } = useText(accountText)
  const toast = useToast()
  const done = (): void => {
    toast.done(saved)
    onClose()
  }
  const create = useWrite('createContact', { refreshes, onDone: done })
  const change = useWrite('changeContact', { refreshes, onDone: done })
  const write = contact ? change : create
  const { name = '', numbers = number === undefined ? [] : [number], emails = [], shared = false } = contact ?? {}
  const form = useForm({ name, numbers, emails, shared }, write.error)
  const submit = (): void => {
    if (contact) change.mutate([{ contactId: contact.id }, form.values])
    else create.mutate([{}, form.values])
  }
  return (
    <FormModal
      opened
      title={contact ? say.editTitle : say.addTitle}
      onClose={onClose}
      onSubmit={submit}
      pending={write.isPending}
      error={write.error}
    >
      <TextInput label={say.name} required maxLength={200} data-autofocus {...form.text('name')} />
      <TagsInput
        label={say.numbers}
        description={say.oneEach}
        acceptValueOnBlur
        splitChars={[',', ';']}
        maxTags={20}
        value={form.values.numbers}
        onChange={(typed) => form.set('numbers', typed)}
        error={fieldProblem(write.error, 'numbers')}
      />
      <TagsInput
        label={say.emails}
        description={say.oneEach}
        acceptValueOnBlur
        splitChars={[',', ';']}
        maxTags={20}
        value={form.values.emails}
        onChange={(typed) => form.set('emails', typed)}
        error={fieldProblem(write.error, 'emails')}
      />
      <Switch label={say.shared} description={say.sharedHint} {...form.tick('shared')} />
    </FormModal>
  )
}
